# SPDX-License-Identifier: GPL-2.0
# tuff: the people's door; kbuild goes through Kbuild instead

LAB	:= tools/vm/lab
KERNELS	:= 6.1 6.12 7.3 debug
SUITES	:= $(notdir $(patsubst %/Makefile,%,$(wildcard selftests/tuff_*/Makefile)))
SUITES	:= $(SUITES:tuff_%=%)
MODULE	:= drivers/infiniband/sw/tuff/tuff.ko
RUNNING	:= $(shell uname -r)

# Wrong arguments end here, with what would be right, and exit status 2.
ifdef KERNEL
ifneq ($(filter-out $(KERNELS),$(KERNEL))$(words $(KERNEL)),1)
$(error KERNEL=$(KERNEL): no such kernel; there are: $(KERNELS))
endif
endif
ifdef SUITE
ifneq ($(filter-out $(SUITES),$(firstword $(subst :, ,$(SUITE:tuff_%=%)))),)
$(error SUITE=$(SUITE): no such suite; there are: $(SUITES))
endif
endif
ifdef SEED
ifneq ($(shell expr "$(SEED)" : '[0-9][0-9]*$$'),$(shell expr length "$(SEED)"))
$(error SEED=$(SEED): not a number)
endif
endif

PARTS	:= sim fuzz guest
MINUTES	?= 10
ifdef PART
ifneq ($(filter-out $(PARTS),$(PART)),)
$(error PART=$(PART): no such part of the soak; there are: $(PARTS))
endif
endif
SOAKS	:= $(or $(PART),sim fuzz)

# Where to build: KERNEL= asks for the lab's headers, KDIR= for a tree of
# one's own; else the running kernel's headers, or the lab's where those are
# missing.
ifdef KERNEL
BUILD_BY := lab
else ifdef KDIR
ifeq ($(wildcard $(KDIR)/Makefile),)
$(error KDIR=$(KDIR): no kernel build tree there (it has no Makefile))
endif
BUILD_BY := kdir
else ifneq ($(wildcard /lib/modules/$(RUNNING)/build/Makefile),)
KDIR	 := /lib/modules/$(RUNNING)/build
BUILD_BY := kdir
else
BUILD_BY := lab
endif
LAB_KERNEL := $(or $(KERNEL),6.12)

.PHONY: modules install clean help demo check check-host check-guest unit sim \
	fuzz coverage style bench bench-smoke soak vm $(PARTS:%=soak-%)

# No recipe of this file gains from make's own parallelism.
.NOTPARALLEL:

modules:
ifeq ($(BUILD_BY),kdir)
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules
	@echo "built $(MODULE)"
else
	$(LAB) kmake $(LAB_KERNEL)
	@echo "built build/$(LAB_KERNEL)/$(MODULE) (for $(LAB_KERNEL) of the lab)"
endif

install: modules
ifeq ($(BUILD_BY),kdir)
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules_install
	PATH="$$PATH:/usr/sbin:/sbin" depmod -b "$(INSTALL_MOD_PATH)/" \
		"$$(cat $(KDIR)/include/config/kernel.release)"
else ifdef INSTALL_MOD_PATH
	$(LAB) kmake $(LAB_KERNEL) modules_install \
		INSTALL_MOD_PATH=$(abspath $(INSTALL_MOD_PATH))
else
	@echo "install: built for $(LAB_KERNEL) of the lab, not for this machine:" \
		"install linux-headers-$(RUNNING), or give KDIR= or" \
		"INSTALL_MOD_PATH=" >&2
	@exit 2
endif

clean:
	rm -rf build include/compat/tuff_probe.h modules.order Module.symvers
	@find drivers include selftests -name '.*.cmd' -delete -o \
		-name '*.ko' -delete -o -name '*.mod' -delete -o \
		-name '*.mod.c' -delete -o -name '*.o' -delete -o \
		-name modules.order -delete -o -name Module.symvers -delete
	@rm -f .*.cmd .module-common.o
	@for d in tools/host tools/sim tools/fuzz selftests; do \
		[ ! -f $$d/Makefile ] || $(MAKE) -s -C $$d clean || exit; \
	done

demo:
	@tools/demo/run

check:
	@tools/tap/check.py all

check-host:
	@tools/tap/check.py host

check-guest:
	@tools/tap/check.py guest $(if $(KERNEL),--kernel $(KERNEL)) \
		$(addprefix --suite ,$(SUITE:tuff_%=%))

style:
	@tools/style/run $(if $(V),--verbose)

unit:
	@$(MAKE) -s -C tools/host unit $(if $(T),T=$(T))

sim:
ifdef SEED
	@$(MAKE) -s -C tools/sim sim
	@build/sim/sim --seed $(SEED) --trace
else
	@$(MAKE) -s -C tools/sim check
endif

fuzz:
	@$(MAKE) -s -C tools/fuzz check

coverage:
	@tools/host/coverage.py $(if $(V),--missing)

soak: $(SOAKS:%=soak-%)

soak-sim:
	@$(MAKE) -s -C tools/sim soak MINUTES=$(MINUTES)

# All targets at once; what they find is where they go on the next time.
soak-fuzz:
	@$(MAKE) -s -C tools/fuzz soak MINUTES=$(MINUTES)

# Rounds, not minutes, say how much.
soak-guest:
	@selftests/soak

bench:
	@tools/bench/run $(if $(KERNEL),--kernel $(KERNEL))

bench-smoke:
	@tools/bench/run --smoke

vm:
	@$(LAB) kmake $(LAB_KERNEL)
	@echo "in there: lab-insmod tuff; rdma link add tuff0 type tuff netdev eth0"
	@$(LAB) shell --kernel $(LAB_KERNEL) $(if $(GUESTS),--guests $(GUESTS))

help:
	@echo 'tuff: an RDMA device (RoCEv2) over any Ethernet device'
	@echo
	@echo 'Build'
	@echo '  make                build tuff.ko for the running kernel, or, where'
	@echo '                      its headers are missing, for 6.12 of the lab'
	@echo '    KDIR=DIR            for the kernel build tree DIR'
	@echo '    KERNEL=K            for a kernel of the lab: $(KERNELS)'
	@echo '  make install        install it, and run depmod (root)'
	@echo '  make clean          remove all that was built here'
	@echo
	@echo 'See it work                                   first time      after'
	@echo '  make demo           two VMs that talk            10 min     1 min'
	@echo '  make vm [KERNEL=K] [GUESTS=N]  shells in VMs     10 min      20 s'
	@echo
	@echo 'Test'
	@echo '  make check          everything                   longer    60 min'
	@echo '  make check-host     what needs no VM             10 min     5 min'
	@echo '  make check-guest [SUITE=S] [KERNEL=K]            20 min    20 min'
	@echo '  make check-guest KERNEL=debug  its suites        longer    40 min'
	@echo '  make style          sources, pages, scripts       5 min     2 min'
	@echo '  make unit [T=name]  unit tests                     10 s      10 s'
	@echo '  make sim [SEED=N]   simulation, or one seed        3 min     3 min'
	@echo '  make fuzz           corpus and a short run         3 min     3 min'
	@echo '  make coverage [V=1] lines of the engine they run   30 s      30 s'
	@echo '  make soak [PART=sim|fuzz] [MINUTES=N]  for long    20 min    20 min'
	@echo '  make soak PART=guest  suites with many rounds        hours'
	@echo '  make bench          ratios against rdma_rxe       20 min    10 min'
	@echo '  make bench-smoke    a few of them, against recorded ones     1 min'
	@echo
	@echo 'Suites: $(SUITES)'
	@echo 'Logs of the checks are kept under build/check/.'

.DEFAULT:
	@echo "no target '$@': 'make help' lists them" >&2
	@exit 2
