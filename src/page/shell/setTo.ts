/** What a control does that only sets a signal. */
export const setTo =
  <T>(target: { value: T }, value: T) =>
  (): void => {
    target.value = value;
  };
