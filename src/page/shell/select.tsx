import type { SelectHTMLAttributes } from 'preact';

type Option<T> = readonly [value: T, text: string, lang?: string];
type Props<T> = Omit<SelectHTMLAttributes, 'value' | 'onChange' | 'role'> & {
  readonly value: T;
  readonly options: readonly Option<T>[];
  readonly onPick: (value: T) => void;
};

/** A list to choose one of; `children` come before its options. */
export const Select = <T extends string>({ options, onPick, children, ...rest }: Props<T>) => (
  <select {...rest} onChange={({ currentTarget }) => onPick(currentTarget.value as T)}>
    {children}
    {options.map(([value, text, lang]) => (
      <option key={value} value={value} lang={lang}>
        {text}
      </option>
    ))}
  </select>
);
