import type { ButtonHTMLAttributes } from 'preact';

/** A button with a text. */
export const Button = ({ text, ...rest }: ButtonHTMLAttributes & { readonly text: string }) => (
  <button type="button" {...rest}>
    {text}
  </button>
);
