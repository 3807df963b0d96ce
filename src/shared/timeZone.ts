/** The parts of Temporal that Node has since version 26. */
type NativeTemporal = {
  readonly Now: { timeZoneId(): string };
  readonly ZonedDateTime: new (epochNanoseconds: bigint, zone: string) => unknown;
};
const { Temporal } = globalThis as { readonly Temporal?: NativeTemporal };

/** Temporal checks a zone at once; the first Intl formatter (with more old names) takes 14 ms. */
const isKnownToTemporal = (name: string): boolean => {
  try {
    return Temporal !== undefined && Boolean(new Temporal.ZonedDateTime(0n, name));
  } catch {
    return false;
  }
};

/** True for a time zone of this machine (`Europe/Berlin`, `UTC`; any case). An offset is not a zone. */
export const isZone = (name: string): boolean => {
  if (!/^[A-Za-z]/u.test(name)) return false;
  if (isKnownToTemporal(name)) return true;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== 'Etc/Unknown';
  } catch {
    return false;
  }
};

/** The machine's time zone; `UTC` if it is unknown. */
export const machineZone = (): string => {
  const zone = Temporal?.Now.timeZoneId() ?? new Intl.DateTimeFormat('en').resolvedOptions().timeZone;
  return isZone(zone) ? zone : 'UTC';
};
