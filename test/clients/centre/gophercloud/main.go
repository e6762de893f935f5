// A tenant uses the central region with gophercloud 0.12 to 1.14. OS_* has the tenant and the
// region. The first argument names a step, and the others are the names of servers. The program
// prints a line for each check that passed. At the first one that fails it prints the reason and
// exits with 1.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/gophercloud/gophercloud"
	"github.com/gophercloud/gophercloud/openstack"
	"github.com/gophercloud/gophercloud/openstack/identity/v3/tokens"
	"github.com/gophercloud/gophercloud/pagination"
)

// cloud has a client for each service of the central region.
type cloud struct {
	provider                        *gophercloud.ProviderClient
	compute, network, image, volume *gophercloud.ServiceClient
}

var steps = map[string]func(tenant cloud, names []string){
	"catalog":   checkCatalog,
	"prepare":   prepare,
	"boot":      boot,
	"list":      list,
	"filter":    filter,
	"show":      show,
	"addresses": checkAddresses,
	"move":      moveFloatingIP,
	"delete":    deleteServers,
	"clean":     clean,
}

func main() {
	log.SetFlags(log.Lshortfile)
	if len(os.Args) < 2 || steps[os.Args[1]] == nil {
		log.Fatal("The first argument must be the name of a step, such as prepare.")
	}
	steps[os.Args[1]](signIn(), os.Args[2:])
}

func signIn() cloud {
	options := must(openstack.AuthOptionsFromEnv())
	provider := must(openstack.AuthenticatedClient(options))
	region := gophercloud.EndpointOpts{Region: os.Getenv("OS_REGION_NAME")}
	return cloud{
		provider: provider,
		compute:  must(openstack.NewComputeV2(provider, region)),
		network:  must(openstack.NewNetworkV2(provider, region)),
		image:    must(openstack.NewImageServiceV2(provider, region)),
		volume:   must(openstack.NewBlockStorageV3(provider, region)),
	}
}

// checkCatalog prints each region of the catalog once.
func checkCatalog(tenant cloud, _ []string) {
	result := tenant.provider.GetAuthResult().(tokens.CreateResult)
	seen := map[string]bool{}
	for _, service := range must(result.ExtractServiceCatalog()).Entries {
		for _, endpoint := range service.Endpoints {
			if !seen[endpoint.Region] {
				fmt.Println("region", endpoint.Region)
			}
			seen[endpoint.Region] = true
		}
	}
}

// must returns the value, or ends the program with the error and the line of the caller.
func must[T any](value T, err error) T {
	if err != nil {
		fail(err.Error())
	}
	return value
}

// check ends the program with the error, if there is one, and the line of the caller.
func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

// fail ends the program with the message and the line that called its caller.
func fail(message string) {
	_ = log.Output(3, message)
	os.Exit(1)
}

// expect ends the program unless both values print the same text.
func expect(what string, found, wanted any) {
	if fmt.Sprint(found) != fmt.Sprint(wanted) {
		fail(fmt.Sprintf("%s is %v, not %v", what, found, wanted))
	}
}

// all follows the links from page to page, and returns the elements of all pages.
func all[T any](pager pagination.Pager, extract func(pagination.Page) ([]T, error)) []T {
	var found []T
	check(pager.EachPage(func(page pagination.Page) (bool, error) {
		items, err := extract(page)
		found = append(found, items...)
		return true, err
	}))
	return found
}

// only returns the element of a list that must have exactly one.
func only[T any](found []T) T {
	if len(found) != 1 {
		fail(fmt.Sprintf("expected one element, found %d: %v", len(found), found))
	}
	return found[0]
}
