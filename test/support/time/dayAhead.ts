/** A day of the calendar that is still to come, by the clock on this machine's wall: `2027-01-03`. */
export const dayAhead = (days: number): string => {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 12).toLocaleDateString('sv-SE');
};
