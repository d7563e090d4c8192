# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# tuff: captures and raw peers; after tuff_lib.sh and peer.sh

# Packets leave one by one, so that a capture on veth shows what is sent.
single_packets()
{
	nsa ip link set "$VETHA" gso_max_segs 1
	[ -n "$ALONE" ] || nsb ip link set "$VETHB" gso_max_segs 1
}

# capture_begin FILE [WHERE NETDEV]: all that passes $VETHB, or another.
capture_begin()
{
	CAPTURE_FILE=$1
	start "${2:-nsb}" tcpdump -i "${3:-$VETHB}" --immediate-mode -B 32768 -s 0 -U \
		-w "$1" udp port 4791 2>"$WORK/tcpdump"
	CAPTURE=$STARTED
	wait_for 20 grep -q "listening on" "$WORK/tcpdump"
}

# Everything that passed is in the file: it grows no more.
capture_is_whole()
{
	local size

	size=$(stat -c %s "$CAPTURE_FILE")
	sleep 0.3
	[ "$size" = "$(stat -c %s "$CAPTURE_FILE")" ]
}

capture_end()
{
	wait_for 20 capture_is_whole
	kill "$CAPTURE"
	wait "$CAPTURE" || true
	cat "$WORK/tcpdump"
	grep -q "^0 packets dropped by kernel" "$WORK/tcpdump"
}

# Nobody's upper protocol is in the payloads, but some dissectors guess. And
# RoCEv2 has no UDP checksum, over IPv6 either.
TSHARK=(tshark -o udp.ignore_ipv6_zero_checksum:TRUE)
for guess in smcr_infiniband smb_direct_infiniband rpcrdma_infiniband lnet_ib \
	iser_infiniband sdp_infiniband fc_infiniband mellanox_eoib eth_over_ib; do
	TSHARK+=(--disable-heuristic "$guess")
done
TSHARK+=(--disable-protocol nvme-rdma)

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
