package main

import (
	"fmt"

	"github.com/gophercloud/gophercloud/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/keypairs"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/volumeattach"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/openstack/imageservice/v2/images"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/subnets"
)

// deleteServers detaches and deletes the volume of each server, and deletes the server.
func deleteServers(tenant cloud, names []string) {
	for _, name := range names {
		server := serverNamed(tenant, name)
		volume := only(server.AttachedVolumes).ID
		check(volumeattach.Delete(tenant.compute, server.ID, volume).ExtractErr())
		check(volumes.Delete(tenant.volume, volume, nil).ExtractErr())
		_, err := volumes.Get(tenant.volume, volume).Extract()
		expect("whether the volume is gone", isGone(err), true)

		check(servers.Delete(tenant.compute, server.ID).ExtractErr())
		_, err = servers.Get(tenant.compute, server.ID).Extract()
		expect("whether the server is gone", isGone(err), true)
		fmt.Println("deleted", name)
	}
	left := all(servers.List(tenant.compute, servers.ListOpts{}), servers.ExtractServers)
	expect("the list of servers", serverNames(left), []string{})
	volumesLeft := all(volumes.List(tenant.volume, volumes.ListOpts{}), volumes.ExtractVolumes)
	expect("the number of volumes", len(volumesLeft), 0)
	fmt.Println("no servers and volumes")
}

// clean deletes the resources that prepare has created.
func clean(tenant cloud, _ []string) {
	subnetPager := subnets.List(tenant.network, subnets.ListOpts{Name: "own"})
	subnet := only(all(subnetPager, subnets.ExtractSubnets))
	routerPager := routers.List(tenant.network, routers.ListOpts{Name: "own"})
	router := only(all(routerPager, routers.ExtractRouters))
	options := routers.RemoveInterfaceOpts{SubnetID: subnet.ID}
	must(routers.RemoveInterface(tenant.network, router.ID, options).Extract())
	check(routers.Delete(tenant.network, router.ID).ExtractErr())
	fmt.Println("router")

	check(networks.Delete(tenant.network, networkNamed(tenant, "own").ID).ExtractErr())
	_, err := subnets.Get(tenant.network, subnet.ID).Extract()
	expect("whether the subnet is gone", isGone(err), true)
	fmt.Println("network with its subnet")

	groupPager := groups.List(tenant.network, groups.ListOpts{Name: "web"})
	group := only(all(groupPager, groups.ExtractGroups))
	check(groups.Delete(tenant.network, group.ID).ExtractErr())
	fmt.Println("security group")

	check(keypairs.Delete(tenant.compute, "own").ExtractErr())
	check(images.Delete(tenant.image, imageNamed(tenant, "own").ID).ExtractErr())
	fmt.Println("key pair and image")
}
