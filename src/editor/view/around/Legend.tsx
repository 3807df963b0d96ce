import { isCovered } from '../../model/lanes.ts';
import { useStore } from '../context.ts';
import { looksOf } from '../modeLook.ts';

/** The modes with their colours and patterns, and the mode between entries. */
export const Legend = () => {
  const store = useStore();
  const words = store.words.value;
  const { defaultMode } = store.constraints.value;
  const hasOverlap = Object.values(store.plan.value.week).some((entries) => entries.some((_, index) => isCovered(entries, index)));
  const looks = looksOf(store.modes.value);
  return (
    <div class="legend">
      {store.modes.value.map((mode) => (
        // Hidden from screen readers: it explains colours, and the entries name their modes.
        <span key={mode} aria-hidden="true">
          <span class={`swatch ${looks.get(mode) ?? 'teal'}`} />
          {store.modeName(mode)}
        </span>
      ))}
      {defaultMode !== undefined && (
        <span>
          <span class="swatch ground" aria-hidden="true" />
          {words.otherwise(store.modeName(defaultMode))}
        </span>
      )}
      {hasOverlap && <span>{store.isWide.value ? words.frontHint : words.frontHintUpright}</span>}
    </div>
  );
};
