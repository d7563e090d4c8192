#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every header compiles alone: in kbuild, and the engine's on the host too.
set -u
cd "$(dirname "$(readlink -f "$0")")/../.." || exit 1

kernel=${1:-6.12}
driver=drivers/infiniband/sw/tuff
built=$PWD/build/$kernel

fail() { echo "$*"; exit 1; }

kdir=$(tools/vm/lab kdir "$kernel") || fail "no headers of $kernel"
# a build leaves tuff_probe.h, which says what this kernel offers
out=$(tools/vm/lab kmake "$kernel" 2>&1) ||
	fail "$out" "the module does not build"

mkdir -p build/style
dir=$(mktemp -d "$PWD/build/style/headers.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
n=0 objs=()
while read -r header; do
	n=$((n + 1))
	printf '#include "%s"\n#include "%s"\n' "$header" "$header" > "$dir/h$n.c"
	objs+=("h$n.o")
	name[n]=$header
done < <(cd "$driver" && find . -name '*.h' -printf '%P\n' | sort)
[ "$n" -gt 0 ] || fail "no header below $driver"

cat > "$dir/Kbuild" <<END
ccflags-y := -I$built/include -I$built/include/compat/missing \\
	     -include $built/include/compat/tuff_compat.h -I$built/$driver
obj-m := ${objs[*]}
END
out=$(make -k -C "$kdir" M="$dir" -j"$(nproc)" "${objs[@]}" 2>&1) || {
	for i in $(seq "$n"); do
		[ -e "$dir/h$i.o" ] ||
			echo "$driver/${name[i]}:1: does not compile alone:" \
			     "include or forward-declare what it uses"
	done
	echo "$out" | grep -E 'error:|warning:' | head -40
	exit 1
}

# the engine's headers against the host's shim
out=$(make -s -C tools/host headers 2>&1) && exit
echo "tools/host/include:1: the engine's headers do not compile on the host:"
echo "$out"
exit 1
