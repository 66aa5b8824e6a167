// Written out of northd/northd.[ch] and controller/lflow.h of every release tag of OVN.
#include "layouts.h"

namespace egt::explain {
namespace {

constexpr PipelineLayout kLayouts[] = {
    {"20.03.0-20.03.2 20.06.0-20.06.3", 8, 40,
     "port_sec_l2 port_sec_ip port_sec_nd pre_acl pre_lb pre_stateful acl qos_mark qos_meter lb stateful "
     "pre_hairpin hairpin arp_rsp dhcp_options dhcp_response dns_lookup dns_response external_port l2_lkup",
     "pre_lb pre_acl pre_stateful lb acl qos_mark qos_meter stateful port_sec_ip port_sec_l2",
     "admission lookup_neighbor learn_neighbor ip_input defrag unsnat dnat nd_ra_options nd_ra_response "
     "ip_routing ip_routing_ecmp policy arp_resolve chk_pkt_len larger_pkts gw_redirect arp_request",
     "undnat snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=32 LOCAL_OUTPUT=33 CHECK_LOOPBACK=34 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67"},
    {"20.09.0", 8, 40,
     "port_sec_l2 port_sec_ip port_sec_nd pre_acl pre_lb pre_stateful acl_hint acl qos_mark qos_meter lb "
     "stateful pre_hairpin hairpin arp_rsp dhcp_options dhcp_response dns_lookup dns_response "
     "external_port l2_lkup",
     "pre_lb pre_acl pre_stateful lb acl_hint acl qos_mark qos_meter stateful port_sec_ip port_sec_l2",
     "admission lookup_neighbor learn_neighbor ip_input defrag unsnat dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing ip_routing_ecmp policy arp_resolve chk_pkt_len larger_pkts gw_redirect "
     "arp_request",
     "undnat snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=32 LOCAL_OUTPUT=33 CHECK_LOOPBACK=34 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67"},
    {"20.12.0", 8, 40,
     "port_sec_l2 port_sec_ip port_sec_nd pre_acl pre_lb pre_stateful acl_hint acl qos_mark qos_meter lb "
     "stateful pre_hairpin nat_hairpin hairpin arp_rsp dhcp_options dhcp_response dns_lookup dns_response "
     "external_port l2_lkup",
     "pre_lb pre_acl pre_stateful lb acl_hint acl qos_mark qos_meter stateful port_sec_ip port_sec_l2",
     "admission lookup_neighbor learn_neighbor ip_input defrag unsnat dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing ip_routing_ecmp policy arp_resolve chk_pkt_len larger_pkts gw_redirect "
     "arp_request",
     "undnat snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=32 LOCAL_OUTPUT=33 CHECK_LOOPBACK=34 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_FOR_VIP=70"},
    {"21.03.0", 8, 40,
     "port_sec_l2 port_sec_ip port_sec_nd lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl "
     "qos_mark qos_meter lb stateful pre_hairpin nat_hairpin hairpin arp_rsp dhcp_options dhcp_response "
     "dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_lb pre_acl pre_stateful lb acl_hint acl qos_mark qos_meter stateful port_sec_ip port_sec_l2",
     "admission lookup_neighbor learn_neighbor ip_input defrag unsnat dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing ip_routing_ecmp policy policy_ecmp arp_resolve chk_pkt_len larger_pkts "
     "gw_redirect arp_request",
     "undnat snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=37 LOCAL_OUTPUT=38 CHECK_LOOPBACK=39 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_FOR_VIP=70 GET_FDB=71 LOOKUP_FDB=72"},
    {"21.06.0", 8, 40,
     "port_sec_l2 port_sec_ip port_sec_nd lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl "
     "qos_mark qos_meter stateful pre_hairpin nat_hairpin hairpin arp_rsp dhcp_options dhcp_response "
     "dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_lb pre_acl pre_stateful acl_hint acl qos_mark qos_meter stateful port_sec_ip port_sec_l2",
     "admission lookup_neighbor learn_neighbor ip_input defrag unsnat dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing ip_routing_ecmp policy policy_ecmp arp_resolve chk_pkt_len larger_pkts "
     "gw_redirect arp_request",
     "undnat snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=37 LOCAL_OUTPUT=38 CHECK_LOOPBACK=39 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_FOR_VIP=70 GET_FDB=71 LOOKUP_FDB=72"},
    {"21.09.0-21.09.1", 8, 40,
     "port_sec_l2 port_sec_ip port_sec_nd lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl "
     "qos_mark qos_meter stateful pre_hairpin nat_hairpin hairpin arp_rsp dhcp_options dhcp_response "
     "dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_lb pre_acl pre_stateful acl_hint acl qos_mark qos_meter stateful port_sec_ip port_sec_l2",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing ip_routing_ecmp policy policy_ecmp arp_resolve chk_pkt_len larger_pkts "
     "gw_redirect arp_request",
     "undnat post_undnat snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=37 LOCAL_OUTPUT=38 CHECK_LOOPBACK=39 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72"},
    {"21.12.0", 8, 40,
     "port_sec_l2 port_sec_ip port_sec_nd lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl "
     "qos_mark qos_meter stateful pre_hairpin nat_hairpin hairpin arp_rsp dhcp_options dhcp_response "
     "dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_lb pre_acl pre_stateful acl_hint acl qos_mark qos_meter stateful port_sec_ip port_sec_l2",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy policy_ecmp arp_resolve chk_pkt_len "
     "larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=37 LOCAL_OUTPUT=38 CHECK_LOOPBACK=39 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72"},
    {"21.12.1-21.12.2 22.03.0-22.03.2", 8, 40,
     "port_sec_l2 port_sec_ip port_sec_nd lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl "
     "qos_mark qos_meter lb acl_after_lb stateful pre_hairpin nat_hairpin hairpin arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_lb pre_acl pre_stateful acl_hint acl qos_mark qos_meter stateful port_sec_ip port_sec_l2",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy policy_ecmp arp_resolve chk_pkt_len "
     "larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=37 LOCAL_OUTPUT=38 CHECK_LOOPBACK=39 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72"},
    {"22.03.3-22.03.8", 8, 40,
     "port_sec_l2 port_sec_ip port_sec_nd lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl "
     "qos_mark qos_meter lb pre_hairpin nat_hairpin hairpin acl_after_lb stateful arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl qos_mark qos_meter stateful port_sec_ip port_sec_l2",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy policy_ecmp arp_resolve chk_pkt_len "
     "larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=37 LOCAL_OUTPUT=38 CHECK_LOOPBACK=39 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72"},
    {"22.06.0", 8, 40,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl qos_mark "
     "qos_meter lb acl_after_lb stateful pre_hairpin nat_hairpin hairpin arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_lb pre_acl pre_stateful acl_hint acl qos_mark qos_meter stateful check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy policy_ecmp arp_resolve chk_pkt_len "
     "larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=37 LOCAL_OUTPUT=38 CHECK_LOOPBACK=39 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75"},
    {"22.06.1 22.09.0-22.09.1", 8, 40,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl qos_mark "
     "qos_meter lb acl_after_lb stateful pre_hairpin nat_hairpin hairpin arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_lb pre_acl pre_stateful acl_hint acl qos_mark qos_meter stateful check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy policy_ecmp arp_resolve chk_pkt_len "
     "larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=37 LOCAL_OUTPUT=38 CHECK_LOOPBACK=39 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77"},
    {"22.09.2-22.09.3", 8, 42,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl qos_mark "
     "qos_meter lb pre_hairpin nat_hairpin hairpin acl_after_lb stateful arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl qos_mark qos_meter stateful check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag dnat ecmp_stateful nd_ra_options "
     "nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy policy_ecmp arp_resolve chk_pkt_len "
     "larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=37 OUTPUT_LARGE_PKT_DETECT=37 "
     "OUTPUT_LARGE_PKT_PROCESS=38 REMOTE_OUTPUT=39 LOCAL_OUTPUT=40 CHECK_LOOPBACK=41 "
     "LOG_EGRESS_PIPELINE=42 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77"},
    {"22.12.0", 8, 40,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl qos_mark "
     "qos_meter lb_aff_check lb lb_aff_learn acl_after_lb stateful pre_hairpin nat_hairpin hairpin arp_rsp "
     "dhcp_options dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_lb pre_acl pre_stateful acl_hint acl qos_mark qos_meter stateful check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag lb_aff_check dnat lb_aff_learn "
     "ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy "
     "policy_ecmp arp_resolve chk_pkt_len larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=37 LOCAL_OUTPUT=38 CHECK_LOOPBACK=39 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78"},
    {"22.12.1-22.12.2 23.03.1-23.03.3", 8, 42,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl qos_mark "
     "qos_meter lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin acl_after_lb stateful arp_rsp "
     "dhcp_options dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl qos_mark qos_meter stateful check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag lb_aff_check dnat lb_aff_learn "
     "ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy "
     "policy_ecmp arp_resolve chk_pkt_len larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=37 OUTPUT_LARGE_PKT_DETECT=37 "
     "OUTPUT_LARGE_PKT_PROCESS=38 REMOTE_OUTPUT=39 LOCAL_OUTPUT=40 CHECK_LOOPBACK=41 "
     "LOG_EGRESS_PIPELINE=42 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78"},
    {"23.03.0", 8, 40,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl qos_mark "
     "qos_meter lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin acl_after_lb stateful arp_rsp "
     "dhcp_options dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl qos_mark qos_meter stateful check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag lb_aff_check dnat lb_aff_learn "
     "ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy "
     "policy_ecmp arp_resolve chk_pkt_len larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 REMOTE_OUTPUT=37 LOCAL_OUTPUT=38 CHECK_LOOPBACK=39 "
     "LOG_EGRESS_PIPELINE=40 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78"},
    {"23.06.0", 8, 43,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_action qos_mark qos_meter lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_action stateful arp_rsp dhcp_options dhcp_response dns_lookup "
     "dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl_eval acl_action qos_mark qos_meter stateful check_port_sec "
     "apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag lb_aff_check dnat lb_aff_learn "
     "ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy "
     "policy_ecmp arp_resolve chk_pkt_len larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=37 OUTPUT_LARGE_PKT_DETECT=38 "
     "OUTPUT_LARGE_PKT_PROCESS=39 REMOTE_OUTPUT=40 LOCAL_OUTPUT=41 CHECK_LOOPBACK=42 "
     "LOG_EGRESS_PIPELINE=43 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78"},
    {"23.06.1-23.06.5", 8, 42,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_action qos_mark qos_meter lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_action stateful arp_rsp dhcp_options dhcp_response dns_lookup "
     "dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl_eval acl_action qos_mark qos_meter stateful check_port_sec "
     "apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag lb_aff_check dnat lb_aff_learn "
     "ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy "
     "policy_ecmp arp_resolve chk_pkt_len larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=37 OUTPUT_LARGE_PKT_DETECT=37 "
     "OUTPUT_LARGE_PKT_PROCESS=38 REMOTE_OUTPUT=39 LOCAL_OUTPUT=40 CHECK_LOOPBACK=41 "
     "LOG_EGRESS_PIPELINE=42 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78"},
    {"23.09.0-23.09.6 24.03.0-24.03.4", 8, 42,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_action qos_mark qos_meter lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_action stateful arp_rsp dhcp_options dhcp_response dns_lookup "
     "dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl_eval acl_action qos_mark qos_meter stateful check_port_sec "
     "apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag lb_aff_check dnat lb_aff_learn "
     "ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy "
     "policy_ecmp arp_resolve chk_pkt_len larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=37 OUTPUT_LARGE_PKT_DETECT=37 "
     "OUTPUT_LARGE_PKT_PROCESS=38 REMOTE_OUTPUT=39 LOCAL_OUTPUT=40 CHECK_LOOPBACK=41 "
     "LOG_EGRESS_PIPELINE=42 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79"},
    {"24.03.5", 8, 42,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_action qos_mark qos_meter lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_action stateful arp_rsp dhcp_options dhcp_response dns_lookup "
     "dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl_eval acl_action qos_mark qos_meter stateful check_port_sec "
     "apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag lb_aff_check dnat lb_aff_learn "
     "ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy "
     "policy_ecmp arp_resolve chk_pkt_len larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=37 OUTPUT_LARGE_PKT_DETECT=37 "
     "OUTPUT_LARGE_PKT_PROCESS=38 REMOTE_OUTPUT=39 LOCAL_OUTPUT=40 CHECK_LOOPBACK=41 "
     "LOG_EGRESS_PIPELINE=42 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ORIG_NW_DST_LOAD=81 CT_ORIG_IP6_DST_LOAD=82 CT_ORIG_TP_DST_LOAD=83"},
    {"24.03.6-24.03.9", 8, 42,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_action qos_mark qos_meter lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_action stateful arp_rsp dhcp_options dhcp_response dns_lookup "
     "dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl_eval acl_action qos_mark qos_meter stateful check_port_sec "
     "apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input unsnat defrag lb_aff_check dnat lb_aff_learn "
     "ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp policy "
     "policy_ecmp arp_resolve chk_pkt_len larger_pkts gw_redirect network_id arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=37 OUTPUT_LARGE_PKT_DETECT=37 "
     "OUTPUT_LARGE_PKT_PROCESS=38 REMOTE_OUTPUT=39 LOCAL_OUTPUT=40 CHECK_LOOPBACK=41 "
     "LOG_EGRESS_PIPELINE=42 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ZONE_LOOKUP=80 CT_ORIG_NW_DST_LOAD=81 CT_ORIG_IP6_DST_LOAD=82 "
     "CT_ORIG_TP_DST_LOAD=83 CT_STATE_SAVE=85"},
    {"24.09.0-24.09.1", 8, 45,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_sample acl_action qos lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_sample acl_after_lb_action stateful arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl_eval acl_sample acl_action qos stateful check_port_sec "
     "apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input dhcp_relay_req unsnat defrag lb_aff_check dnat "
     "lb_aff_learn ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp "
     "policy policy_ecmp dhcp_relay_resp_chk dhcp_relay_resp arp_resolve chk_pkt_len larger_pkts "
     "gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=40 OUTPUT_LARGE_PKT_DETECT=40 "
     "OUTPUT_LARGE_PKT_PROCESS=41 REMOTE_OUTPUT=42 LOCAL_OUTPUT=43 CHECK_LOOPBACK=44 "
     "LOG_EGRESS_PIPELINE=45 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ZONE_LOOKUP=80"},
    {"24.09.2", 8, 45,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_sample acl_action qos lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_sample acl_after_lb_action stateful arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl_eval acl_sample acl_action qos stateful check_port_sec "
     "apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input dhcp_relay_req unsnat defrag lb_aff_check dnat "
     "lb_aff_learn ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp "
     "policy policy_ecmp dhcp_relay_resp_chk dhcp_relay_resp arp_resolve chk_pkt_len larger_pkts "
     "gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=40 OUTPUT_LARGE_PKT_DETECT=40 "
     "OUTPUT_LARGE_PKT_PROCESS=41 REMOTE_OUTPUT=42 LOCAL_OUTPUT=43 CHECK_LOOPBACK=44 "
     "LOG_EGRESS_PIPELINE=45 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ZONE_LOOKUP=80 CT_ORIG_NW_DST_LOAD=81 CT_ORIG_IP6_DST_LOAD=82 "
     "CT_ORIG_TP_DST_LOAD=83"},
    {"24.09.3", 8, 45,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_sample acl_action qos lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_sample acl_after_lb_action stateful arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "pre_acl pre_lb pre_stateful acl_hint acl_eval acl_sample acl_action qos stateful check_port_sec "
     "apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input dhcp_relay_req unsnat defrag lb_aff_check dnat "
     "lb_aff_learn ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing ip_routing_ecmp "
     "policy policy_ecmp dhcp_relay_resp_chk dhcp_relay_resp arp_resolve chk_pkt_len larger_pkts "
     "gw_redirect network_id arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=40 OUTPUT_LARGE_PKT_DETECT=40 "
     "OUTPUT_LARGE_PKT_PROCESS=41 REMOTE_OUTPUT=42 LOCAL_OUTPUT=43 CHECK_LOOPBACK=44 "
     "LOG_EGRESS_PIPELINE=45 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ZONE_LOOKUP=80 CT_ORIG_NW_DST_LOAD=81 CT_ORIG_IP6_DST_LOAD=82 "
     "CT_ORIG_TP_DST_LOAD=83 CT_STATE_SAVE=85"},
    {"25.03.0", 8, 45,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_sample acl_action qos lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_sample acl_after_lb_action stateful arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval acl_sample acl_action qos stateful "
     "check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input dhcp_relay_req unsnat post_unsnat defrag "
     "lb_aff_check dnat lb_aff_learn ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing "
     "ip_routing_ecmp policy policy_ecmp dhcp_relay_resp_chk dhcp_relay_resp arp_resolve chk_pkt_len "
     "larger_pkts gw_redirect arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=40 OUTPUT_LARGE_PKT_DETECT=40 "
     "OUTPUT_LARGE_PKT_PROCESS=41 REMOTE_OUTPUT=42 LOCAL_OUTPUT=43 CHECK_LOOPBACK=44 "
     "LOG_EGRESS_PIPELINE=45 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ZONE_LOOKUP=80 CT_ORIG_NW_DST_LOAD=81 CT_ORIG_IP6_DST_LOAD=82 "
     "CT_ORIG_TP_DST_LOAD=83 FLOOD_REMOTE_CHASSIS=84"},
    {"25.03.1-25.03.2", 8, 45,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_sample acl_action qos lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_sample acl_after_lb_action stateful arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval acl_sample acl_action qos stateful "
     "check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input dhcp_relay_req unsnat post_unsnat defrag "
     "lb_aff_check dnat lb_aff_learn ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing "
     "ip_routing_ecmp policy policy_ecmp dhcp_relay_resp_chk dhcp_relay_resp arp_resolve chk_pkt_len "
     "larger_pkts gw_redirect network_id arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=40 OUTPUT_LARGE_PKT_DETECT=40 "
     "OUTPUT_LARGE_PKT_PROCESS=41 REMOTE_OUTPUT=42 LOCAL_OUTPUT=43 CHECK_LOOPBACK=44 "
     "LOG_EGRESS_PIPELINE=45 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ZONE_LOOKUP=80 CT_ORIG_NW_DST_LOAD=81 CT_ORIG_IP6_DST_LOAD=82 "
     "CT_ORIG_TP_DST_LOAD=83 FLOOD_REMOTE_CHASSIS=84 CT_STATE_SAVE=85"},
    {"25.03.3", 8, 45,
     "check_port_sec apply_port_sec lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval "
     "acl_sample acl_action qos lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin hairpin "
     "acl_after_lb_eval acl_after_lb_sample acl_after_lb_action stateful arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval acl_sample acl_action qos stateful "
     "check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input dhcp_relay_req unsnat post_unsnat defrag "
     "lb_aff_check dnat lb_aff_learn ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre ip_routing "
     "ip_routing_ecmp policy policy_ecmp dhcp_relay_resp_chk dhcp_relay_resp arp_resolve chk_pkt_len "
     "larger_pkts gw_redirect network_id arp_request ecmp_stateful_egr",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=40 OUTPUT_LARGE_PKT_DETECT=40 "
     "OUTPUT_LARGE_PKT_PROCESS=41 REMOTE_OUTPUT=42 LOCAL_OUTPUT=43 CHECK_LOOPBACK=44 "
     "LOG_EGRESS_PIPELINE=45 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ZONE_LOOKUP=80 CT_ORIG_NW_DST_LOAD=81 CT_ORIG_IP6_DST_LOAD=82 "
     "CT_ORIG_TP_DST_LOAD=83 FLOOD_REMOTE_CHASSIS=84 CT_STATE_SAVE=85"},
    {"25.09.0-25.09.2", 8, 47,
     "check_port_sec apply_port_sec mirror lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint "
     "acl_eval acl_sample acl_action qos ct_extract lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin "
     "hairpin acl_after_lb_eval acl_after_lb_sample acl_after_lb_action stateful arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval acl_sample acl_action mirror qos "
     "stateful check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input dhcp_relay_req unsnat post_unsnat defrag "
     "ct_extract lb_aff_check dnat lb_aff_learn ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre "
     "ip_routing ip_routing_ecmp policy policy_ecmp dhcp_relay_resp_chk dhcp_relay_resp arp_resolve "
     "chk_pkt_len larger_pkts gw_redirect network_id arp_request",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=41 OUTPUT_LARGE_PKT_DETECT=41 "
     "OUTPUT_LARGE_PKT_PROCESS=42 REMOTE_OUTPUT=43 REMOTE_VTEP_OUTPUT=44 LOCAL_OUTPUT=45 CHECK_LOOPBACK=46 "
     "LOG_EGRESS_PIPELINE=47 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ZONE_LOOKUP=80 CT_ORIG_NW_DST_LOAD=81 CT_ORIG_IP6_DST_LOAD=82 "
     "CT_ORIG_TP_DST_LOAD=83 FLOOD_REMOTE_CHASSIS=84 CT_STATE_SAVE=85 CT_ORIG_PROTO_LOAD=86 "
     "GET_REMOTE_FDB=87"},
    {"25.09.3-25.09.4", 8, 47,
     "check_port_sec apply_port_sec mirror lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint "
     "acl_eval acl_sample acl_action qos ct_extract lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin "
     "hairpin acl_after_lb_eval acl_after_lb_sample acl_after_lb_action stateful arp_rsp dhcp_options "
     "dhcp_response dns_lookup dns_response external_port l2_lkup l2_unknown",
     "lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval acl_sample acl_action mirror qos "
     "stateful check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input dhcp_relay_req unsnat post_unsnat defrag "
     "ct_extract lb_aff_check dnat lb_aff_learn ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre "
     "ip_routing ip_routing_ecmp policy policy_ecmp dhcp_relay_resp_chk dhcp_relay_resp arp_resolve "
     "chk_pkt_len larger_pkts gw_redirect network_id arp_request ecmp_stateful_egr",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=41 OUTPUT_LARGE_PKT_DETECT=41 "
     "OUTPUT_LARGE_PKT_PROCESS=42 REMOTE_OUTPUT=43 REMOTE_VTEP_OUTPUT=44 LOCAL_OUTPUT=45 CHECK_LOOPBACK=46 "
     "LOG_EGRESS_PIPELINE=47 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ZONE_LOOKUP=80 CT_ORIG_NW_DST_LOAD=81 CT_ORIG_IP6_DST_LOAD=82 "
     "CT_ORIG_TP_DST_LOAD=83 FLOOD_REMOTE_CHASSIS=84 CT_STATE_SAVE=85 CT_ORIG_PROTO_LOAD=86 "
     "GET_REMOTE_FDB=87"},
    {"26.03.0-26.03.2", 8, 48,
     "check_port_sec apply_port_sec mirror lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint "
     "acl_eval acl_sample acl_action qos ct_extract lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin "
     "hairpin acl_after_lb_eval acl_after_lb_sample acl_after_lb_action pre_network_function stateful "
     "network_function arp_rsp dhcp_options dhcp_response dns_lookup dns_response external_port l2_lkup "
     "l2_unknown",
     "lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval acl_sample acl_action mirror qos "
     "pre_network_function stateful network_function check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input dhcp_relay_req unsnat post_unsnat defrag "
     "ct_extract lb_aff_check dnat lb_aff_learn ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre "
     "ip_routing ip_routing_ecmp policy policy_ecmp dhcp_relay_resp_chk dhcp_relay_resp arp_resolve "
     "chk_pkt_len larger_pkts gw_redirect network_id arp_request ecmp_stateful_egr",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=42 OUTPUT_LARGE_PKT_DETECT=42 "
     "OUTPUT_LARGE_PKT_PROCESS=43 REMOTE_OUTPUT=44 REMOTE_VTEP_OUTPUT=45 LOCAL_OUTPUT=46 CHECK_LOOPBACK=47 "
     "LOG_EGRESS_PIPELINE=48 SAVE_INPORT=64 LOG_TO_PHY=65 MAC_BINDING=66 MAC_LOOKUP=67 CHK_LB_HAIRPIN=68 "
     "CHK_LB_HAIRPIN_REPLY=69 CT_SNAT_HAIRPIN=70 GET_FDB=71 LOOKUP_FDB=72 CHK_IN_PORT_SEC=73 "
     "CHK_IN_PORT_SEC_ND=74 CHK_OUT_PORT_SEC=75 ECMP_NH_MAC=76 ECMP_NH=77 CHK_LB_AFFINITY=78 "
     "MAC_CACHE_USE=79 CT_ZONE_LOOKUP=80 CT_ORIG_NW_DST_LOAD=81 CT_ORIG_IP6_DST_LOAD=82 "
     "CT_ORIG_TP_DST_LOAD=83 FLOOD_REMOTE_CHASSIS=84 CT_STATE_SAVE=85 CT_ORIG_PROTO_LOAD=86 "
     "GET_REMOTE_FDB=87 LEARN_REMOTE_FDB=88"},
    {"26.09", 8, 62,
     "check_port_sec apply_port_sec mirror lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint "
     "acl_eval acl_sample acl_action qos ct_extract lb_aff_check lb lb_aff_learn pre_hairpin nat_hairpin "
     "hairpin acl_after_lb_eval acl_after_lb_sample acl_after_lb_action pre_network_function stateful "
     "network_function arp_nd_pre_lookup arp_rsp dhcp_options dhcp_response dns_lookup dns_response "
     "external_port l2_lkup l2_unknown",
     "lookup_fdb put_fdb pre_acl pre_lb pre_stateful acl_hint acl_eval acl_sample acl_action mirror qos "
     "pre_network_function stateful network_function check_port_sec apply_port_sec",
     "admission lookup_neighbor learn_neighbor ip_input dhcp_relay_req unsnat post_unsnat defrag "
     "ct_extract lb_aff_check dnat lb_aff_learn ecmp_stateful nd_ra_options nd_ra_response ip_routing_pre "
     "ip_routing ip_routing_ecmp policy policy_ecmp dhcp_relay_resp_chk dhcp_relay_resp arp_resolve "
     "chk_pkt_len larger_pkts gw_redirect network_id arp_request ecmp_stateful_egr",
     "chk_dnat_local undnat post_undnat snat post_snat egr_loop delivery",
     "PHY_TO_LOG=0 LOG_INGRESS_PIPELINE=8 OUTPUT_INIT=52 OUTPUT_LARGE_PKT_DETECT=52 "
     "OUTPUT_LARGE_PKT_PROCESS=53 REMOTE_OUTPUT=54 REMOTE_VTEP_OUTPUT=55 LOCAL_OUTPUT=56 CHECK_LOOPBACK=57 "
     "LOG_EGRESS_PIPELINE=62 SAVE_INPORT=88 LOG_TO_PHY=89 MAC_BINDING=90 MAC_LOOKUP=91 CHK_LB_HAIRPIN=92 "
     "CHK_LB_HAIRPIN_REPLY=93 CT_SNAT_HAIRPIN=94 GET_FDB=95 LOOKUP_FDB=96 CHK_IN_PORT_SEC=97 "
     "CHK_IN_PORT_SEC_ND=98 CHK_OUT_PORT_SEC=99 ECMP_NH_MAC=100 ECMP_NH=101 CHK_LB_AFFINITY=102 "
     "MAC_CACHE_USE=103 CT_ZONE_LOOKUP=104 CT_ORIG_NW_DST_LOAD=105 CT_ORIG_IP6_DST_LOAD=106 "
     "CT_ORIG_TP_DST_LOAD=107 FLOOD_REMOTE_CHASSIS=108 CT_STATE_SAVE=109 CT_ORIG_PROTO_LOAD=110 "
     "GET_REMOTE_FDB=111 LEARN_REMOTE_FDB=112 EVPN_ARP_LOOKUP=113"},
};

}  // namespace

std::span<const PipelineLayout> pipeline_layouts() { return kLayouts; }

}  // namespace egt::explain
