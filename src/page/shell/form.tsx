import type { FormHTMLAttributes } from 'preact';

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
