import { words } from './setupState.ts';

const LOOKS = {
  strong: { 'font-weight': 650 },
  typed: { fill: 'var(--quiet)' },
  mark: { 'font-weight': 650, fill: 'var(--accent)' },
} as const;

/** A drawing of the vendor's portal (in English): the form for the address, and the list with the id. */
export const PortalDrawing = () => {
  const d = words.value.drawing;
  const texts: readonly (readonly [x: number, y: number, text: string, look?: keyof typeof LOOKS])[] = [
    [16, 26, 'Add client', 'strong'],
    [16, 56, 'Name'],
    [148, 57, 'heating2mqtt', 'typed'],
    [16, 88, 'Google reCAPTCHA'],
    [188, 88, d.off],
    [16, 120, 'Redirect URIs'],
    [148, 121, `→ ${d.here}`, 'mark'],
    [16, 212, 'Clients', 'strong'],
    [16, 246, d.id],
    [98, 246, '4f1c0b…d29a7e', 'typed'],
    [222, 246, `← ${d.take}`, 'mark'],
  ];
  return (
    <svg class="portal" viewBox="0 0 340 270" role="img" aria-label={d.label}>
      <g fill="var(--sunken)" stroke="var(--line)">
        <rect x="1" y="1" width="338" height="164" rx="10" />
        <rect x="1" y="188" width="338" height="80" rx="10" />
      </g>
      <g fill="var(--sheet)" stroke="var(--edge)">
        <rect x="140" y="40" width="184" height="24" rx="4" />
        <rect x="140" y="74" width="38" height="20" rx="10" />
        <rect x="140" y="104" width="184" height="24" rx="4" stroke="var(--accent)" stroke-width="2.5" />
        <rect x="90" y="229" width="120" height="24" rx="4" stroke="var(--accent)" stroke-width="2.5" />
      </g>
      <g fill="var(--edge)">
        <circle cx="150" cy="84" r="7" />
        <rect x="250" y="136" width="74" height="22" rx="4" />
      </g>
      <path fill="none" stroke="var(--edge)" stroke-width="2" d="M170 168v14m-5-6 5 7 5-7" />
      <text fill="var(--sheet)" x="287" y="151" text-anchor="middle">
        Create
      </text>
      {texts.map(([x, y, text, look]) => (
        <text key={y + x} x={x} y={y} {...(look && LOOKS[look])}>
          {text}
        </text>
      ))}
    </svg>
  );
};
