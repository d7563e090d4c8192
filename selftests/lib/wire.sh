# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# tuff: captures and raw peers; after tuff_lib.sh and peer.sh

# Packets leave one by one, so that a capture on veth shows what is sent.
single_packets()
{
	nsa ip link set "$VETHA" gso_max_segs 1
	[ -n "$ALONE" ] || nsb ip link set "$VETHB" gso_max_segs 1
}

# capture_begin FILE: all that passes $VETHB.
capture_begin()
{
	start nsb tcpdump -i "$VETHB" -B 32768 -s 0 -U -w "$1" udp port 4791 \
		2>"$WORK/tcpdump"
	CAPTURE=$STARTED
	wait_for 20 grep -q "listening on" "$WORK/tcpdump"
}

capture_end()
{
	sync
	kill "$CAPTURE"
	wait "$CAPTURE" || true
	cat "$WORK/tcpdump"
	grep -q "^0 packets dropped by kernel" "$WORK/tcpdump"
}

# Nobody's upper protocol is in the payloads, but some dissectors guess.
TSHARK=(tshark)
for upper in smc smb_direct rpcordma nvme-rdma lnet iser infiniband_sdp fcoib; do
	TSHARK+=(--disable-protocol $upper)
done

# tshark_complaints FILE [FILTER]: warnings and errors of the dissectors.
tshark_complaints()
{
	"${TSHARK[@]}" -r "$1" \
		-Y "_ws.expert.severity >= 6291456${2:+ && $2}" \
		-T fields -e frame.number -e infiniband.bth.opcode \
		-e _ws.expert.message 2>"$WORK/tshark" ||
		{ cat "$WORK/tshark"; echo "tshark failed"; }
}

# raw_peer SCRIPT [PATTERN]: a program of raw packets, from $NSB to $DEVA.
# Its TAP is ours.
raw_peer()
{
	need_two || skip_all "needs two hosts"
	single_packets
	# The answers of the other device would disturb the raw peer's own.
	link_gone "$DEVB"
	# It is answered by address: have both neighbours known.
	nsb ping -c 1 -W 5 $IPA >/dev/null
	PYTHONDONTWRITEBYTECODE=1 python3 "$1" "$DEVA" \
		"$(gid_index "$DEVA" $IPA)" "$NSB" "$VETHB" "${@:2}"
}
