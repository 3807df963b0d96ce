/** Prices around now that make every plan worth while. */
export const somePrices = (): string => {
  const hourMs = 3_600_000;
  const from = Math.floor(Date.now() / hourMs) * hourMs - 24 * hourMs;
  const at = (hour: number): string => new Date(from + hour * hourMs).toISOString();
  return JSON.stringify(
    Array.from({ length: 96 }, (_, hour) => ({ start: at(hour), end: at(hour + 1), value: hour % 3 === 0 ? 0.05 : 0.5 })),
  );
};
