package main

import (
	"fmt"

	"github.com/gophercloud/gophercloud"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/extensions/layer3/floatingips"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/ports"
)

// checkAddresses compares the address of each server with that of its port, and with the others.
func checkAddresses(tenant cloud, names []string) {
	seen := map[string]string{}
	for _, name := range names {
		server := serverNamed(tenant, name)
		address := only(portOf(tenant, server).FixedIPs).IPAddress
		expect("the address of "+name, addressesOf(tenant, server), []string{address})
		expect("another server with the address of "+name, seen[address], "")
		seen[address] = name
		fmt.Println("address of", name)
	}
}

// moveFloatingIP creates a floating IP, associates it with each server in turn, and deletes it.
func moveFloatingIP(tenant cloud, names []string) {
	ip := must(floatingips.Create(tenant.network, floatingips.CreateOpts{
		FloatingNetworkID: networkNamed(tenant, "public").ID,
	}).Extract())
	for _, name := range names {
		server := serverNamed(tenant, name)
		port := portOf(tenant, server)
		fixed := only(port.FixedIPs).IPAddress
		options := floatingips.UpdateOpts{PortID: &port.ID}
		ip = must(floatingips.Update(tenant.network, ip.ID, options).Extract())
		expect("the address behind it", ip.FixedIP, fixed)
		for _, each := range names {
			wanted := 1
			if each == name {
				wanted = 2
			}
			addresses := addressesOf(tenant, serverNamed(tenant, each))
			expect("the number of addresses of "+each, len(addresses), wanted)
		}
		expect("the addresses", addressesOf(tenant, server), []string{fixed, ip.FloatingIP})
		fmt.Println("floating IP of", name)
	}
	check(floatingips.Delete(tenant.network, ip.ID).ExtractErr())
	_, err := floatingips.Get(tenant.network, ip.ID).Extract()
	expect("whether the floating IP is gone", isGone(err), true)
	fmt.Println("floating IP deleted")
}

func portOf(tenant cloud, server servers.Server) ports.Port {
	pager := ports.List(tenant.network, ports.ListOpts{DeviceID: server.ID})
	return only(all(pager, ports.ExtractPorts))
}

// addressesOf returns the addresses of a server in its only network.
func addressesOf(tenant cloud, server servers.Server) []string {
	pages := must(servers.ListAddresses(tenant.compute, server.ID).AllPages())
	networks := must(servers.ExtractAddresses(pages))
	expect("the number of networks", len(networks), 1)
	var found []string
	for _, address := range networks["own"] {
		found = append(found, address.Address)
	}
	return found
}

// isGone tells whether a request failed with 404.
func isGone(err error) bool {
	_, gone := err.(gophercloud.ErrDefault404)
	return gone
}
