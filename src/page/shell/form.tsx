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
