#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Install what the checks need on this machine and is not there yet.
set -eu
cd "$(dirname "$(readlink -f "$0")")/../.."

# What guests and kernel builds need, the lab knows.
tools/vm/lab setup --host-only

missing() {
	local pair
	for pair in gcc:gcc g++:g++ perl:perl git:git clang:clang \
		    sparse:sparse shellcheck:shellcheck codespell:codespell \
		    clang-tidy:clang-tidy spatch:coccinelle; do
		command -v "${pair%%:*}" >/dev/null || echo "${pair#*:}"
	done
	[ -e /usr/include/infiniband/verbs.h ] || echo libibverbs-dev
	[ -e /usr/include/rdma/rdma_cma.h ] || echo librdmacm-dev
}

install() {
	[ $# -gt 0 ] || return 0
	if [ "$(id -u)" != 0 ]; then
		echo "this machine lacks $*: run as root 'apt-get install $*'" >&2
		return 1
	fi
	export DEBIAN_FRONTEND=noninteractive
	apt-get install -y -q --no-install-recommends "$@" ||
		{ apt-get update -q &&
		  apt-get install -y -q --no-install-recommends "$@"; }
}

mapfile -t packages < <(missing)
install "${packages[@]}"

# clang's sanitizer and fuzzer run-time has its version in its name
version=$(clang -dumpversion)
if ! [ -e "$(clang -print-file-name=libclang_rt.fuzzer-x86_64.a)" ]; then
	install "libclang-rt-${version%%.*}-dev"
fi
