// A request of Reservation, and the lines of its table.
import type { Call, Route } from '../../kernel/model.ts';
import type { ReservationVersion } from './versions.ts';

export type ReservationRoute = Route<ReservationVersion>;
export type ReservationCall = Call<ReservationVersion>;
