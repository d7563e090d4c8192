/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: events of net_devices and addresses */
#ifndef _TUFF_VERBS_NOTIFY_H
#define _TUFF_VERBS_NOTIFY_H

int tuff_notify_init(void);
void tuff_notify_exit(void);

#endif /* _TUFF_VERBS_NOTIFY_H */
