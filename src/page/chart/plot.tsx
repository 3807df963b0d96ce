import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { theme } from '../state/preferences.ts';
import { type Span, stepsOf } from './model.ts';

const HEIGHT = 280;
/** For the left axis, in pixels. */
const WIDEST_LETTER = 7.5;

/** Distances between time labels on the lower axis, in seconds. */
const STEPS_S = [1, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 7200, 14_400, 43_200].map((minutes) => minutes * 60);

/** The plotted data: step lines, or bars; `formatPlace` formats a position on the lower axis. */
type PlotProps = {
  readonly data: readonly (readonly (number | null)[])[];
  readonly kind: 'line' | 'bars';
  readonly names: readonly string[];
  readonly formatPlace: (place: number) => string;
  readonly formatValue: (value: number) => string;
  readonly zone?: string | undefined;
  /** Behind the lines, each in the colour of its mode. */
  readonly spans?: readonly Span[];
  readonly colourOf?: (mode: string) => string;
};

/** A chart on a canvas. The page must also show its content as text. */
export const Plot = (props: PlotProps) => {
  const place = useRef<HTMLDivElement>(null);
  const chosen = theme.value;
  useEffect(() => {
    const root = place.current;
    if (!root) return;
    let plot: uPlot | undefined;
    const draw = (): void => {
      plot?.destroy();
      plot = new uPlot(optionsOf(props, root), props.data as uPlot.AlignedData, root);
    };
    draw();
    const sizes = new ResizeObserver(() => plot?.setSize({ width: root.clientWidth, height: HEIGHT }));
    sizes.observe(root);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    return () => {
      dark.removeEventListener('change', draw);
      sizes.disconnect();
      plot?.destroy();
    };
  }, [props.data, props.spans, props.kind, chosen]);
  return <div class="plot" ref={place} aria-hidden="true" />;
};

const optionsOf = (
  { kind, names, formatPlace, formatValue, zone, spans = [], colourOf, data }: PlotProps,
  root: HTMLElement,
): uPlot.Options => {
  const style = getComputedStyle(root);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line'), width: 1 } };
  const bars = uPlot.paths.bars?.({ size: [0.7, 60] });
  const steps = uPlot.paths.stepped?.({ align: 1 });
  const paths = kind === 'bars' ? bars : steps;
  const lines = names.map((label, index) => ({
    label,
    stroke: colour((kind === 'bars' ? index === names.length - 1 : index === 0) ? '--accent' : '--quiet'),
    width: index === 0 ? 2 : 1.5,
    points: { show: false },
    ...(paths ? { paths } : {}),
    ...(index > 0 && kind === 'line' ? { dash: [6, 4] } : {}),
    // The last bar is in front.
    ...(kind === 'bars' ? { fill: colour(index === names.length - 1 ? '--accent' : '--quiet') } : {}),
  }));
  const behind = (plot: uPlot): void => {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.globalAlpha = 0.28;
    for (const { from, to, mode } of spans) {
      const [left, right] = [from, to].map((time) =>
        Math.min(Math.max(plot.valToPos(time / 1000, 'x', true), bbox.left), bbox.left + bbox.width),
      );
      if (left === undefined || right === undefined || right <= left) continue;
      ctx.fillStyle = colourOf?.(mode) ?? 'transparent';
      ctx.fillRect(left, bbox.top, right - left, bbox.height);
    }
    ctx.restore();
  };
  const last = (data[0]?.length ?? 1) - 1;
  return {
    width: root.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: kind === 'bars' ? { time: false, range: [-0.6, last + 0.6] } : { time: true },
      y: kind === 'bars' ? { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } : {},
    },
    ...(zone === undefined ? {} : { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), zone) }),
    series: [{}, ...lines],
    axes: [
      // The labels have minute precision.
      {
        ...axis,
        space: 70,
        ...(kind === 'bars' ? {} : { incrs: STEPS_S }),
        values: (_, places) => places.map((one) => (Number.isInteger(one) ? formatPlace(one) : '')),
      },
      {
        ...axis,
        incrs: [...stepsOf(formatValue)],
        size: (_, values) => 20 + WIDEST_LETTER * Math.max(0, ...(values ?? []).map((one) => one.length)),
        values: (_, values) => values.map(formatValue),
      },
    ],
    hooks: { drawClear: [behind] },
  };
};
