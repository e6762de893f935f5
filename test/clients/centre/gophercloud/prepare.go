package main

import (
	"fmt"
	"strings"

	"github.com/gophercloud/gophercloud"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/keypairs"
	"github.com/gophercloud/gophercloud/openstack/imageservice/v2/imagedata"
	"github.com/gophercloud/gophercloud/openstack/imageservice/v2/images"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/extensions/layer3/routers"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/extensions/security/groups"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/extensions/security/rules"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/networks"
	"github.com/gophercloud/gophercloud/openstack/networking/v2/subnets"
)

// prepare creates the resources that servers need. The security group is named web, the others own.
func prepare(tenant cloud, _ []string) {
	image := must(images.Create(tenant.image, images.CreateOpts{
		Name: "own", DiskFormat: "raw", ContainerFormat: "bare",
	}).Extract())
	check(imagedata.Upload(tenant.image, image.ID, strings.NewReader("disk")).ExtractErr())
	image = must(images.Get(tenant.image, image.ID).Extract())
	expect("the status", image.Status, images.ImageStatusActive)
	fmt.Println("image")

	pair := must(keypairs.Create(tenant.compute, keypairs.CreateOpts{Name: "own"}).Extract())
	expect("whether there is a private key", pair.PrivateKey != "", true)
	fmt.Println("key pair")

	network := must(networks.Create(tenant.network, networks.CreateOpts{Name: "own"}).Extract())
	expect("the status", network.Status, "ACTIVE")
	subnet := must(subnets.Create(tenant.network, subnets.CreateOpts{
		NetworkID: network.ID, Name: "own", CIDR: "10.30.0.0/24", IPVersion: gophercloud.IPv4,
	}).Extract())
	expect("the gateway", subnet.GatewayIP, "10.30.0.1")
	fmt.Println("network with a subnet")

	router := must(routers.Create(tenant.network, routers.CreateOpts{
		Name: "own", GatewayInfo: &routers.GatewayInfo{NetworkID: networkNamed(tenant, "public").ID},
	}).Extract())
	options := routers.AddInterfaceOpts{SubnetID: subnet.ID}
	added := must(routers.AddInterface(tenant.network, router.ID, options).Extract())
	expect("the subnet of the interface", added.SubnetID, subnet.ID)
	fmt.Println("router")

	group := must(groups.Create(tenant.network, groups.CreateOpts{Name: "web"}).Extract())
	must(rules.Create(tenant.network, rules.CreateOpts{
		SecGroupID: group.ID, Direction: rules.DirIngress, EtherType: rules.EtherType4,
		Protocol: rules.ProtocolTCP, PortRangeMin: 80, PortRangeMax: 80,
	}).Extract())
	fmt.Println("security group with a rule")
}

func networkNamed(tenant cloud, name string) networks.Network {
	pager := networks.List(tenant.network, networks.ListOpts{Name: name})
	return only(all(pager, networks.ExtractNetworks))
}

func imageNamed(tenant cloud, name string) images.Image {
	pager := images.List(tenant.image, images.ListOpts{Name: name})
	return only(all(pager, images.ExtractImages))
}
