// The views of the page, in the order of the navigation.
import type { ComponentType } from 'preact';
import { ApiView } from '../views/api/view.tsx';
import { ClustersView } from '../views/clusters/view.tsx';
import { HostsView } from '../views/hosts/view.tsx';
import { LeasesView } from '../views/leases/view.tsx';
import { NetworkView } from '../views/network/view.tsx';
import { OverviewView } from '../views/overview/view.tsx';
import { PodsView } from '../views/pods/view.tsx';
import { RequestsView } from '../views/requests/view.tsx';
import { StatesView } from '../views/states/view.tsx';
import { TourView } from '../views/tour/view.tsx';
import { WhyView } from '../views/why/view.tsx';

/** A view of the page. */
export interface View {
  /** Its part of the address; empty for the overview. */
  readonly name: string;
  readonly title: string;
  readonly component: ComponentType;
}

export const views: readonly View[] = [
  { name: '', title: 'Overview', component: OverviewView },
  { name: 'hosts', title: 'Hosts', component: HostsView },
  { name: 'why', title: 'Why', component: WhyView },
  { name: 'leases', title: 'Leases', component: LeasesView },
  { name: 'clusters', title: 'Clusters', component: ClustersView },
  { name: 'pods', title: 'Pods', component: PodsView },
  { name: 'network', title: 'Network', component: NetworkView },
  { name: 'requests', title: 'Requests', component: RequestsView },
  { name: 'states', title: 'States', component: StatesView },
  { name: 'api', title: 'API', component: ApiView },
  { name: 'tour', title: 'Tour', component: TourView },
];
