import type { ButtonHTMLAttributes, FormHTMLAttributes } from 'preact';

/** A button with a text, which sends no form unless its `type` says so. */
export const Button = ({ text, ...rest }: ButtonHTMLAttributes & { readonly text: string }) => (
  <button type="button" {...rest}>
    {text}
  </button>
);

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
