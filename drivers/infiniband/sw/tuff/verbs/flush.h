/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: receives that a user posts in ERR: the work item */
#ifndef _TUFF_VERBS_FLUSH_H
#define _TUFF_VERBS_FLUSH_H

struct work_struct;

void tuff_flush_work(struct work_struct *work);

#endif /* _TUFF_VERBS_FLUSH_H */
