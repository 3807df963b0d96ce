/** A decorative Material Design icon next to a text; hidden from screen readers. */
export const Icon = ({ path, class: name = '' }: { readonly path: string; readonly class?: string }) => (
  <svg class={`icon ${name}`} viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
);
