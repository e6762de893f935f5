// Reservation's door: no service above asks anything of it yet.
export {};
