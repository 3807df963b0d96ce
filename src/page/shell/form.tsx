import type { FormHTMLAttributes, SelectHTMLAttributes } from 'preact';

/** A form that only the page's code submits. */
export const Form = ({ onSend, ...rest }: FormHTMLAttributes & { readonly onSend: (form: HTMLFormElement) => unknown }) => (
  <form
    {...rest}
    onSubmit={(event) => {
      event.preventDefault();
      onSend(event.currentTarget);
    }}
  />
);

/** The handler of a control that sets a signal to this value. */
export const setTo =
  <T,>(target: { value: T }, value: T) =>
  (): void => {
    target.value = value;
  };

/** The handler of a control that sets a signal to the entered value. */
export const into =
  <T,>(target: { value: T }) =>
  (value: T): void => {
    target.value = value;
  };

type Option<T> = readonly [value: T, text: string, lang?: string];
type SelectProps<T> = Omit<SelectHTMLAttributes, 'value' | 'onChange' | 'role'> & {
  readonly value: T;
  readonly options: readonly Option<T>[];
  readonly onPick: (value: T) => void;
};

/** A list to choose one of; `children` come before its options. */
export const Select = <T extends string>({ options, onPick, children, ...rest }: SelectProps<T>) => (
  <select {...rest} onChange={({ currentTarget }) => onPick(currentTarget.value as T)}>
    {children}
    {options.map(([value, text, lang]) => (
      <option key={value} value={value} lang={lang}>
        {text}
      </option>
    ))}
  </select>
);
