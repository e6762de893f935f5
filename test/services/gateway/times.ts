// Times after noon of the day at which tests begin.
export const formatTime = (seconds: number): string =>
  new Date(Date.UTC(2026, 10, 20, 12, 0, seconds)).toISOString();
