// The version sweep of Reservation.
import { sweep } from './every-microversion.ts';

sweep('reservation');
