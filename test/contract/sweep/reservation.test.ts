// The version sweep of Reservation.
import { sweep } from './sweep.ts';

sweep('reservation');
