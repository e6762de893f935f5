// What a new region starts with.
export { seedStrict as seedReservation } from './domain/strict.ts';
