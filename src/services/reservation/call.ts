// The types of Reservation's requests and routes.
import type { Call, Route } from '../../kernel/model.ts';
import type { ReservationVersion } from './versions.ts';

export type ReservationRoute = Route<ReservationVersion>;
export type ReservationCall = Call<ReservationVersion>;
