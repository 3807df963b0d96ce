import type { FormHTMLAttributes } from 'preact';

/** A form that is sent by the page alone. */
export const Form = ({ onSend, ...rest }: FormHTMLAttributes & { readonly onSend: (form: HTMLFormElement) => unknown }) => (
  <form
    {...rest}
    onSubmit={(event) => {
      event.preventDefault();
      onSend(event.currentTarget);
    }}
  />
);

/** What a control does that only sets a signal. */
export const setTo =
  <T,>(target: { value: T }, value: T) =>
  (): void => {
    target.value = value;
  };
