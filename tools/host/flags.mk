# SPDX-License-Identifier: GPL-2.0
# tuff: how the engine is compiled outside the kernel (host, sim, fuzz)
#
# Set before: top, tuff. What -Wextra has beyond the kernel's own W=1 is off.

HOST_CFLAGS := -std=gnu11 -Wall -Wextra -Werror -Wno-unused-parameter \
	       -Wno-sign-compare -Wno-missing-field-initializers \
	       -Wmissing-prototypes -Wstrict-prototypes -fno-strict-aliasing \
	       -I$(top)/tools/host/include -I$(tuff)

HOST_SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all \
		 -fno-omit-frame-pointer
