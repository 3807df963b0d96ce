/** Settings, and sections of them, that a later version brings: told apart from those that nobody knows. */
const LATER_KEYS = ['schedules.profiles'] as const;

/** True for a key that a later version knows, also below such a section. */
export const comesLater = (key: string): boolean => LATER_KEYS.some((later) => key === later || key.startsWith(`${later}.`));

/** True for an environment variable, without `HEATING2MQTT_`, of such a key. */
export const variableComesLater = (rest: string): boolean =>
  LATER_KEYS.some((later) => {
    const name = later.toUpperCase().replaceAll('.', '_');
    return rest === name || rest.startsWith(`${name}_`);
  });
