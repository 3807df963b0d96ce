/** A setting with the layer that decides it, as the server tells it. */
export type Row = {
  readonly path: string;
  readonly value?: unknown;
  readonly default: unknown;
  readonly origin: { readonly kind: 'default' | 'app' | 'page' | 'file' | 'options' | 'environment'; readonly where: string };
  readonly fixed: boolean;
  readonly secret: boolean;
  readonly isSet: boolean;
  readonly doc: string;
  readonly format: 'text' | 'number' | 'flag' | 'choice' | 'list' | 'profiles' | 'devices';
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  readonly example?: string;
  readonly hint?: string;
};
