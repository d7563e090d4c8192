/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: asynchronous events of queue pairs: the work item */
#ifndef _TUFF_VERBS_EVENT_H
#define _TUFF_VERBS_EVENT_H

struct work_struct;

void tuff_event_work(struct work_struct *work);

#endif /* _TUFF_VERBS_EVENT_H */
