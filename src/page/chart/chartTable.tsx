import { chartWords } from './words.ts';

type Row = { readonly key: string; readonly name: string; readonly cells: readonly string[] };

/** What a chart shows as a table, for those who cannot see it; the first column is the time, or `first`. */
export const ChartTable = ({
  columns,
  rows,
  first,
}: {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly first?: string;
}) => {
  const w = chartWords.value;
  return (
    <details>
      <summary>{w.asTable}</summary>
      <div class="table-scroll">
        <table>
          <thead>
            <tr>
              {[first ?? w.when, ...columns].map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, name, cells }) => (
              <tr key={key}>
                <th scope="row">{name}</th>
                {cells.map((cell, index) => (
                  <td key={columns[index]}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
};
