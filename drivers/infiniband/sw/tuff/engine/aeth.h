/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: AETH syndromes (IBA 9.7.5.2, table 44) */
#ifndef _TUFF_ENGINE_AETH_H
#define _TUFF_ENGINE_AETH_H

#define TUFF_AETH_TYPE_MASK	0xe0
#define TUFF_AETH_ACK		0x00
#define TUFF_AETH_RNR		0x20
#define TUFF_AETH_NAK		0x60
#define TUFF_AETH_CODE_MASK	0x1f
/* End-to-end credits are not used: the code that says so. */
#define TUFF_AETH_NO_CREDITS	0x1f

enum tuff_nak {
	TUFF_NAK_SEQUENCE	= TUFF_AETH_NAK | 0,
	TUFF_NAK_INVALID	= TUFF_AETH_NAK | 1,
	TUFF_NAK_ACCESS		= TUFF_AETH_NAK | 2,
	TUFF_NAK_OPERATION	= TUFF_AETH_NAK | 3,
};

#endif /* _TUFF_ENGINE_AETH_H */
