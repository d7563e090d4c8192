#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: the other guest: does what the first one says until that has ended
#
# A connection brings one command line and takes its output; the last line of
# that is its status.
[ -d /lab/share/kit ] || exit 1
export TUFF_LINK_TYPE TUFF_TIME_SCALE

modprobe -a rdma_ucm sch_netem veth
cat >/run/agent-one <<'END'
#!/bin/bash
read -r line
( eval "$line" ) 2>&1
echo "status $?"
END
chmod +x /run/agent-one
socat -t 3600 TCP6-LISTEN:9999,fork,reuseaddr,ipv6only=0 EXEC:/run/agent-one &
server=$!
lab-barrier ready
lab-barrier end 3000
kill $server
exit 0
