package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"

	"github.com/gophercloud/gophercloud/openstack/blockstorage/v3/volumes"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/keypairs"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/startstop"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/extensions/volumeattach"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/flavors"
	"github.com/gophercloud/gophercloud/openstack/compute/v2/servers"
	"github.com/gophercloud/gophercloud/pagination"
)

// boot creates each server, and attaches a volume to it.
func boot(tenant cloud, names []string) {
	image, network := imageNamed(tenant, "own"), networkNamed(tenant, "own")
	flavor := flavorNamed(tenant, "m1.tiny")
	for _, name := range names {
		server := must(servers.Create(tenant.compute, keypairs.CreateOptsExt{
			CreateOptsBuilder: servers.CreateOpts{
				Name: name, ImageRef: image.ID, FlavorRef: flavor.ID,
				SecurityGroups: []string{"web"},
				Networks:       []servers.Network{{UUID: network.ID}},
			},
			KeyName: "own",
		}).Extract())
		server = must(servers.Get(tenant.compute, server.ID).Extract())
		expect("the status of "+name, server.Status, "ACTIVE")

		options := volumes.CreateOpts{Name: "data-" + name, Size: 1}
		volume := must(volumes.Create(tenant.volume, options).Extract())
		must(volumeattach.Create(tenant.compute, server.ID, volumeattach.CreateOpts{
			VolumeID: volume.ID,
		}).Extract())
		volume = must(volumes.Get(tenant.volume, volume.ID).Extract())
		expect("the status of the volume", volume.Status, "in-use")
		expect("the server of the volume", only(volume.Attachments).ServerID, server.ID)
		fmt.Println("server", name)
	}
}

// pageSize is the size of the pages in which list reads servers and volumes.
const pageSize = 2

// list reads all servers, volumes and key pairs.
func list(tenant cloud, names []string) {
	serverPager := servers.List(tenant.compute, servers.ListOpts{Limit: pageSize})
	found := all(serverPager, inPages(servers.ExtractServers))
	expect("the list of servers", serverNames(found), names)
	for _, server := range found {
		expect("the status of "+server.Name, server.Status, "ACTIVE")
	}
	fmt.Println("servers")

	var volumeNames, wanted []string
	volumePager := volumes.List(tenant.volume, volumes.ListOpts{Limit: pageSize})
	for _, volume := range all(volumePager, inPages(volumes.ExtractVolumes)) {
		volumeNames = append(volumeNames, volume.Name)
		expect("the status of "+volume.Name, volume.Status, "in-use")
	}
	for _, name := range names {
		wanted = append(wanted, "data-"+name)
	}
	sort.Strings(volumeNames)
	expect("the list of volumes", volumeNames, wanted)
	fmt.Println("volumes")

	pair := only(all(keypairs.List(tenant.compute), keypairs.ExtractKeyPairs))
	expect("the key pair", pair.Name, "own")
	fmt.Println("key pairs")
}

// inPages returns an extract that also fails if a page holds more than pageSize elements.
func inPages[T any](
	extract func(pagination.Page) ([]T, error),
) func(pagination.Page) ([]T, error) {
	return func(page pagination.Page) ([]T, error) {
		items, err := extract(page)
		if err == nil && len(items) > pageSize {
			err = fmt.Errorf("a page holds %d elements", len(items))
		}
		return items, err
	}
}

// filter finds each of the servers by its name, by its status and by its image.
func filter(tenant cloud, names []string) {
	find := func(options servers.ListOpts) []string {
		return serverNames(all(servers.List(tenant.compute, options), servers.ExtractServers))
	}
	for _, name := range names {
		expect("the server by name", find(servers.ListOpts{Name: "^" + name + "$"}), []string{name})
		id := serverNamed(tenant, name).ID
		check(startstop.Stop(tenant.compute, id).ExtractErr())
		expect("the stopped server", find(servers.ListOpts{Status: "SHUTOFF"}), []string{name})
		check(startstop.Start(tenant.compute, id).ExtractErr())
		expect("the stopped servers", len(find(servers.ListOpts{Status: "SHUTOFF"})), 0)

		pager := volumes.List(tenant.volume, volumes.ListOpts{Name: "data-" + name})
		expect("the volume by name", only(all(pager, volumes.ExtractVolumes)).Name, "data-"+name)
		fmt.Println("found", name)
	}
	image := imageNamed(tenant, "own").ID
	expect("the servers by image", find(servers.ListOpts{Image: image}), names)
	fmt.Println("found by image")
}

// show reads each server with what belongs to it.
func show(tenant cloud, names []string) {
	for _, name := range names {
		reply := servers.Get(tenant.compute, serverNamed(tenant, name).ID)
		server := must(reply.Extract())
		expect("the key pair", server.KeyName, "own")
		expect("the image", server.Image["id"], imageNamed(tenant, "own").ID)
		expect("the security group", only(server.SecurityGroups)["name"], "web")
		attached := all(volumeattach.List(tenant.compute, server.ID),
			volumeattach.ExtractVolumeAttachments)
		volume := only(attached).VolumeID
		expect("the volume", only(server.AttachedVolumes).ID, volume)
		expect("the name of the volume",
			must(volumes.Get(tenant.volume, volume).Extract()).Name, "data-"+name)
		text := string(must(json.Marshal(reply.Body)))
		expect("whether the reply names a pod", strings.Contains(text, "Pod"), false)
		fmt.Println("shown", name)
	}
}

func serverNamed(tenant cloud, name string) servers.Server {
	pager := servers.List(tenant.compute, servers.ListOpts{Name: "^" + name + "$"})
	return only(all(pager, servers.ExtractServers))
}

// serverNames returns the names in alphabetical order.
func serverNames(found []servers.Server) []string {
	var names []string
	for _, server := range found {
		names = append(names, server.Name)
	}
	sort.Strings(names)
	return names
}

func flavorNamed(tenant cloud, name string) flavors.Flavor {
	var found []flavors.Flavor
	for _, flavor := range all(flavors.ListDetail(tenant.compute, nil), flavors.ExtractFlavors) {
		if flavor.Name == name {
			found = append(found, flavor)
		}
	}
	return only(found)
}
