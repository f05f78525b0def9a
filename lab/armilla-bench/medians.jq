# The medians of a run, from the JSON of `armilla bench all`: one object for each table, one line for
# each row, one value for each program in the order of `programs`. Run it with `jq -r`.

# Four significant digits, or all digits before the point. Division keeps decimal fractions short.
def rounded:
  if . == null or . == 0 then . else
    (3 - (fabs | log10 | floor)) as $digits
    | if $digits <= 0 then round
      else ([10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9][[$digits, 9] | min - 1]) as $power
        | (. * $power | round) / $power
      end
  end;

# In the order of first appearance, unlike `group_by`.
def gather(key):
  reduce .[] as $record ({order: [], rows: {}};
    ($record | key | tojson) as $key
    | if .rows[$key] then . else .order += [$key] end
    | .rows[$key] += [$record])
  | . as $gathered | [.order[] | $gathered.rows[.]];

def of_table: [.experiment, .transport, .placement, (.invocation | split("-")[0]), .group, .unit];
def of_row: [.payload, .units, .bytes, .objects, .operations, .order, .threads];

def row($programs):
  . as $records
  | (.[0] | {payload, units, bytes, objects, operations, order, threads})
  + {medians: [$programs[] as $name | first($records[] | select(.program == $name).median) // null | rounded],
     ratios_to_c: [$programs[] as $name
       | first($records[] | select(.program == $name).ratio_to_c) // null | rounded]};

def table:
  (reduce .[].program as $name ([]; if index([$name]) then . else . + [$name] end)) as $programs
  | (.[0] | {experiment, transport, placement, invocation: (.invocation | split("-")[0]),
             group: (.group // ""), unit, programs: $programs})
  + {rows: [gather(of_row)[] | row($programs)]};

def lines: (del(.rows) | tojson | .[:-1]) + ",\"rows\":[\n" + ([.rows[] | tojson] | join(",\n")) + "]}";

"{\"machine\":\(.machine | tojson),",
"\"bars\":[\n" + ([.bars[] | .measured |= rounded | tojson] | join(",\n")) + "],",
"\"tables\":[\n" + ([.records | gather(of_table)[] | table | lines] | join(",\n")) + "]}"
