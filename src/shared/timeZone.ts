/** True for the name of a time zone that this machine knows (`Europe/Berlin`, `UTC`; case is ignored). An offset is no zone. */
export const isZone = (name: string): boolean => {
  if (!/^[A-Za-z]/u.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== 'Etc/Unknown';
  } catch {
    return false;
  }
};

/** The machine's time zone; `UTC` if it is unknown. */
export const machineZone = (): string => {
  const { timeZone } = new Intl.DateTimeFormat('en').resolvedOptions();
  return isZone(timeZone) ? timeZone : 'UTC';
};
