import type { ButtonHTMLAttributes, JSX } from 'preact';

type ButtonProps = ButtonHTMLAttributes & { readonly text: string; readonly icon?: JSX.Element };

/** A button with a text label, and an icon before it. */
export const Button = ({ text, icon, ...rest }: ButtonProps) => (
  <button type="button" {...rest}>
    {icon}
    {text}
  </button>
);
