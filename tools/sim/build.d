build: /work/main/drivers/infiniband/sw/tuff/engine/build.c \
 /work/main/drivers/infiniband/sw/tuff/engine/build.h \
 /work/main/drivers/infiniband/sw/tuff/engine/types.h \
 /work/main/tools/host/include/linux/types.h \
 /work/main/tools/host/include/linux/compiler.h \
 /work/main/drivers/infiniband/sw/tuff/tuff.h \
 /work/main/tools/host/include/linux/bitfield.h \
 /work/main/tools/host/include/linux/bits.h \
 /work/main/tools/host/include/linux/build_bug.h \
 /work/main/tools/host/include/linux/string.h \
 /work/main/tools/host/include/asm/byteorder.h \
 /work/main/drivers/infiniband/sw/tuff/engine/opcode.h \
 /work/main/drivers/infiniband/sw/tuff/engine/parse.h \
 /work/main/drivers/infiniband/sw/tuff/engine/drop.h \
 /work/main/drivers/infiniband/sw/tuff/engine/wire.h
/work/main/drivers/infiniband/sw/tuff/engine/build.h:
/work/main/drivers/infiniband/sw/tuff/engine/types.h:
/work/main/tools/host/include/linux/types.h:
/work/main/tools/host/include/linux/compiler.h:
/work/main/drivers/infiniband/sw/tuff/tuff.h:
/work/main/tools/host/include/linux/bitfield.h:
/work/main/tools/host/include/linux/bits.h:
/work/main/tools/host/include/linux/build_bug.h:
/work/main/tools/host/include/linux/string.h:
/work/main/tools/host/include/asm/byteorder.h:
/work/main/drivers/infiniband/sw/tuff/engine/opcode.h:
/work/main/drivers/infiniband/sw/tuff/engine/parse.h:
/work/main/drivers/infiniband/sw/tuff/engine/drop.h:
/work/main/drivers/infiniband/sw/tuff/engine/wire.h:
