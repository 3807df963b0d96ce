import type { ButtonHTMLAttributes } from 'preact';

/** A button with a text label. */
export const Button = ({ text, ...rest }: ButtonHTMLAttributes & { readonly text: string }) => (
  <button type="button" {...rest}>
    {text}
  </button>
);
