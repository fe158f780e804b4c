"""Everything that may stand in a statement, as data: an allow-list, never a deny-list.

Function names are lower case, as the database spells them. A name that is missing here is refused by name, so that
whatever a database or an extension adds later stays closed until somebody opens it on purpose.

`FUNCTIONS` are scalar: they read their arguments and nothing else (no files, no network, no session state, no sleep,
no sequences, no SQL in texts). `AGGREGATES` and `WINDOWS` may stand only where a whole statement is checked: in an
expression of the language they belong to operations of their own.
"""

from __future__ import annotations

from collections.abc import Mapping

from connections.catalogue import DialectName


def names(text: str) -> frozenset[str]:
    """The words of `text`."""
    return frozenset(text.split())


_EVERYWHERE = names("""
    abs ceil ceiling floor round sign sqrt exp ln log10 power pow mod pi radians degrees
    sin cos tan asin acos atan atan2
    lower upper length trim ltrim rtrim replace substr substring concat concat_ws
    coalesce nullif cast
""")

_SQLITE = names("""
    acosh asinh atanh cosh sinh tanh log log2 trunc max min random
    char format hex ifnull iif if instr likelihood likely unlikely printf quote soundex typeof unicode unhex
    date time datetime julianday unixepoch strftime timediff
    json json_array json_array_length json_extract json_object json_patch json_quote json_type json_valid
    json_remove json_replace json_set json_insert json_error_position
    octet_length
""")

_POSTGRESQL = names("""
    cbrt div factorial gcd lcm log trunc random width_bucket greatest least num_nonnulls num_nulls
    cot sind cosd tand asind acosd atand atan2d cotd sinh cosh tanh asinh acosh atanh min_scale scale trim_scale
    ascii bit_length btrim char_length character_length chr initcap left lpad md5 octet_length overlay position
    quote_ident quote_literal quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_replace
    regexp_split_to_array regexp_substr repeat reverse right rpad split_part starts_with string_to_array strpos
    to_ascii to_hex translate unistr format normalize sha224 sha256 sha384 sha512 encode decode get_bit get_byte
    convert_from convert_to similarity word_similarity strict_word_similarity levenshtein soundex difference unaccent
    age clock_timestamp date_bin date_part date_trunc extract isfinite justify_days justify_hours justify_interval
    make_date make_interval make_time make_timestamp make_timestamptz now statement_timestamp timeofday
    transaction_timestamp to_char to_date to_number to_timestamp timezone date time timestamp timestamptz interval
    array_append array_cat array_dims array_length array_lower array_ndims array_position array_positions array_prepend
    array_remove array_replace array_to_string array_upper cardinality trim_array
    json_array_length json_build_array json_build_object json_extract_path json_extract_path_text json_object
    json_strip_nulls json_typeof jsonb_array_length jsonb_build_array jsonb_build_object jsonb_extract_path
    jsonb_extract_path_text jsonb_insert jsonb_object jsonb_path_exists jsonb_path_match jsonb_path_query_array
    jsonb_path_query_first jsonb_pretty jsonb_set jsonb_strip_nulls jsonb_typeof to_json to_jsonb array_to_json
    row_to_json jsonb_concat jsonb_exists
    lower_inc upper_inc lower_inf upper_inf isempty range_merge int4range int8range numrange tsrange tstzrange daterange
    abbrev broadcast family host hostmask masklen netmask network set_masklen inet_same_family inet_merge
    pg_typeof bool int2 int4 int8 float4 float8 numeric text
    to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank ts_rank_cd ts_headline
    numnode querytree strip tsvector_to_array
""")

# Not list_reduce: it is a loop, in which a value may double as often as a list has items.
_DUCKDB = names("""
    cbrt even factorial gamma gcd lcm lgamma log log2 nextafter trunc random greatest least xor isfinite isinf isnan
    fdiv fmod divide multiply add subtract bit_count cot acosh asinh atanh cosh sinh tanh signbit
    array_extract ascii base64 bin bit_length chr char_length character_length contains damerau_levenshtein
    editdist3 ends_with suffix prefix format formatreadablesize format_bytes from_base64 to_base64 hamming hash hex
    unhex instr jaccard jaro_similarity jaro_winkler_similarity lcase ucase left left_grapheme len length_grapheme
    levenshtein like_escape ilike_escape not_like_escape not_ilike_escape lpad rpad md5 mismatches nfc_normalize
    ord parse_filename parse_path position printf regexp_escape regexp_extract regexp_extract_all regexp_full_match
    regexp_matches regexp_replace regexp_split_to_array repeat reverse right right_grapheme sha1 sha256 split
    split_part starts_with str_split str_split_regex string_split string_split_regex string_to_array strip_accents
    strlen strpos substring_grapheme to_binary to_hex translate unicode url_decode url_encode concat array_to_string
    ifnull if iif nvl2 ifelse
    age century date date_add date_diff date_part date_sub date_trunc datediff datepart datesub datetrunc day dayname
    dayofmonth dayofweek dayofyear decade epoch epoch_ms epoch_us epoch_ns era extract hour isodow isoyear last_day
    make_date make_time make_timestamp make_timestamptz microsecond millennium millisecond minute month monthname
    nanosecond now quarter second strftime strptime try_strptime time time_bucket timezone timezone_hour
    timezone_minute to_centuries to_days to_decades to_hours to_microseconds to_millennia to_milliseconds to_minutes
    to_months to_quarters to_seconds to_timestamp to_weeks to_years today current_localtime current_localtimestamp
    get_current_timestamp transaction_timestamp week weekday weekofyear year yearweek julian datesub timestamp
    array_length list_length cardinality list_value list_pack list_contains list_has list_has_all list_has_any
    array_contains array_has array_has_all array_has_any list_position list_indexof array_position list_extract
    list_element list_concat list_cat list_append list_prepend array_append array_prepend array_cat list_slice
    array_slice list_sort list_reverse_sort array_sort list_reverse array_reverse list_distinct array_distinct
    list_unique array_unique list_sum list_avg list_min list_max list_count list_any_value list_first list_last
    list_median list_product list_string_agg list_aggregate array_aggregate list_aggr list_intersect list_resize
    list_zip list_where list_select list_filter array_filter list_transform array_transform list_apply array_apply
    flatten range generate_series array_value element_at map map_keys map_values map_entries
    map_extract map_contains map_from_entries struct_extract struct_pack struct_insert row struct_keys
    json json_array json_array_length json_contains json_exists json_extract json_extract_path json_extract_path_text
    json_extract_string json_keys json_merge_patch json_object json_pretty json_quote json_structure json_type
    json_valid json_value to_json array_to_json row_to_json json_transform from_json
    typeof enum_code enum_first enum_last enum_range uuid_extract_version uuid_extract_timestamp alias
    try_cast encode decode octet_length bitstring get_bit bit_position constant_or_null equi_width_bins
""") - names("setseed_none alias blob bar")

_MYSQL = names("""
    conv cot crc32 format greatest least log log2 rand truncate
    ascii bin bit_length char char_length character_length elt export_set field find_in_set from_base64 to_base64 hex
    insert instr lcase left locate lpad make_set mid oct octet_length ord position quote regexp_instr regexp_like
    regexp_replace regexp_substr repeat reverse right rpad soundex space strcmp substring_index ucase unhex
    weight_string convert md5 sha sha1 sha2 ifnull if isnull interval bit_count
    adddate addtime convert_tz curdate curtime date date_add date_format date_sub datediff day dayname dayofmonth
    dayofweek dayofyear extract from_days from_unixtime get_format hour last_day makedate maketime microsecond minute
    month monthname now localtime localtimestamp current_date current_time current_timestamp period_add period_diff
    quarter sec_to_time second str_to_date subdate subtime sysdate time time_format time_to_sec timediff timestamp
    timestampadd timestampdiff to_days to_seconds to_char unix_timestamp utc_date utc_time utc_timestamp week weekday
    weekofyear year yearweek add_months months_between
    json_array json_array_append json_array_insert json_contains json_contains_path json_depth json_extract
    json_insert json_keys json_length json_merge_patch json_merge_preserve json_object json_overlaps json_pretty
    json_quote json_remove json_replace json_search json_set json_type json_unquote json_valid json_value json_compact
    json_detailed json_loose json_exists json_query json_normalize json_equals
    inet_aton inet_ntoa inet6_aton inet6_ntoa is_ipv4 is_ipv6 is_uuid bin_to_uuid uuid_to_bin nvl nvl2 decode chr
    length lengthb any_value
""")

FUNCTIONS: Mapping[DialectName, frozenset[str]] = {
    "sqlite": _EVERYWHERE | _SQLITE,
    "postgresql": _EVERYWHERE | _POSTGRESQL,
    "duckdb": _EVERYWHERE | _DUCKDB,
    "mysql": _EVERYWHERE | _MYSQL,
}

AGGREGATES: Mapping[DialectName, frozenset[str]] = {
    "sqlite": names("""
        avg count group_concat string_agg max min sum total json_group_array json_group_object median
        percentile percentile_cont percentile_disc
    """),
    "postgresql": names("""
        array_agg avg bit_and bit_or bit_xor bool_and bool_or count every json_agg json_object_agg jsonb_agg
        jsonb_object_agg max min range_agg string_agg sum any_value corr covar_pop covar_samp regr_avgx regr_avgy
        regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp variance
        var_pop var_samp mode percentile_cont percentile_disc
    """),
    "duckdb": names("""
        any_value approx_count_distinct approx_quantile arbitrary arg_max arg_min argmax argmin array_agg avg bit_and
        bit_or bit_xor bool_and bool_or corr count count_if count_star countif covar_pop covar_samp entropy favg first
        fsum geomean geometric_mean group_concat histogram kurtosis kurtosis_pop last list listagg mad max max_by mean
        median min min_by mode percentile_cont percentile_disc product quantile quantile_cont quantile_disc regr_avgx
        regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy skewness stddev stddev_pop
        stddev_samp string_agg sum sumkahan sum_no_overflow var_pop var_samp variance
    """),
    "mysql": names("""
        avg bit_and bit_or bit_xor count group_concat json_arrayagg json_objectagg max min std stddev stddev_pop
        stddev_samp sum var_pop var_samp variance median percentile_cont percentile_disc
    """),
}

WINDOWS: frozenset[str] = names("""
    row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
""")

# Functions whose value changes from call to call or from day to day: never evaluated twice, never moved.
VOLATILE: frozenset[str] = names("random rand clock_timestamp timeofday sysdate uuid gen_random_uuid")

# Functions whose first argument is a bare unit word, which is no column.
UNIT_FIRST: frozenset[str] = names("timestampdiff timestampadd get_format")

# The words of which a type in a cast may be made.
TYPE_WORDS: frozenset[str] = names("""
    int int1 int2 int4 int8 int16 int32 int64 integer bigint smallint tinyint mediumint hugeint uhugeint ubigint
    uinteger usmallint utinyint uint8 uint16 uint32 uint64 signed unsigned numeric decimal dec number real float float4
    float8 double precision text varchar varchar2 nvarchar char character varying nchar native string bpchar clob
    tinytext mediumtext longtext blob bytea binary varbinary bit bool boolean logical date time timestamp timestamptz
    timetz datetime timestamp_s timestamp_ms timestamp_ns with without zone interval uuid json jsonb year money
    inet cidr macaddr int4range int8range numrange daterange tsrange tstzrange point name citext array any none
""")

# Types that sqlglot knows by a name of its own, where one stands before a literal or after `::`.
PLAIN_TYPES: frozenset[str] = TYPE_WORDS | names("timestampntz timestampltz time_ns uint ubigint array null")

# Node classes of sqlglot that may stand in a scalar expression. Functions that have syntax of their own (CAST, EXTRACT,
# SUBSTRING … FROM, TRIM … FROM, POSITION … IN) are classes; all others are checked by name.
EXPRESSION_NODES: frozenset[str] = names("""
    Add Sub Mul Div IntDiv Mod Neg And Or Xor Not Paren Tuple Is In Between Like ILike SimilarTo Glob RegexpLike
    RegexpILike Escape EQ NEQ NullSafeEQ NullSafeNEQ GT GTE LT LTE Case If Cast TryCast DataType DataTypeParam
    Literal Null Boolean Column Identifier Anonymous Interval IntervalSpan Var Extract Substring Trim StrPosition
    Overlay Collate AtTimeZone DPipe Concat BitwiseAnd BitwiseOr BitwiseXor BitwiseNot BitwiseLeftShift
    BitwiseRightShift Pow Array Bracket Slice Any All HexString BitString ByteString RawString National Introducer
    JSONExtract JSONExtractScalar JSONBExtract JSONBExtractScalar JSONPath JSONPathRoot JSONPathKey JSONPathSubscript
    JSONPathWildcard JSONPathSlice JSONPathSelector JSONPathFilter JSONBContains ArrayContainsAll ArrayContainedBy
    ArrayOverlaps Lambda PropertyEQ Struct Dot CurrentDate CurrentTime CurrentTimestamp Localtime Localtimestamp
    CurrentDatetime Operator CharacterSet Kwarg Chr
""")

# Further classes that may stand in a whole SELECT.
STATEMENT_NODES: frozenset[str] = EXPRESSION_NODES | names("""
    Select Subquery Union Intersect Except From Join Where Group Having Order Ordered Limit Offset Fetch Distinct
    Table TableAlias Alias CTE With Values Star Exists Window WindowSpec Filter Qualify WithinGroup GroupConcat
    Cube Rollup GroupingSets IgnoreNulls RespectNulls Lateral LimitOptions IndexTableHint
""")
