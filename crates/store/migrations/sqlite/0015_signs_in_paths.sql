-- A path may end with a parameter for its rest, `{name*}` or `{name+}`. Until now a sign at the end of
-- a name was part of the name of one segment: it is percent-encoded, so that the path goes on matching
-- the same calls.

with recursive marked (id, step, text) as (
    select id, 0, draft from versions where instr(draft, '+}') or instr(draft, '*}')
    union all
    select id, step + 1, (
        select json_replace(
            marked.text,
            found.fullkey,
            replace(replace(found.atom, '+}', '%2B}'), '*}', '%2A}')
        )
        from json_tree(marked.text) as found
        where found.type = 'text' and (instr(found.atom, '+}') or instr(found.atom, '*}'))
            and (
                found.key = 'path' and found.path like '$.operations[%'
                or found.key = 'path' and found.path like '$.soap.rest.resources[%'
                or found.path like '$.policies.operations[%].operations'
                or found.path like '$.policies.aside[%].operations'
            )
        limit 1
    )
    from marked where text is not null
)
update versions set draft = (
    select text from marked where marked.id = versions.id and text is not null
    order by step desc limit 1
) where instr(draft, '+}') or instr(draft, '*}');

with recursive marked (id, step, text) as (
    select id, 0, configuration from revisions
        where instr(configuration, '+}') or instr(configuration, '*}')
    union all
    select id, step + 1, (
        select json_replace(
            marked.text,
            found.fullkey,
            replace(replace(found.atom, '+}', '%2B}'), '*}', '%2A}')
        )
        from json_tree(marked.text) as found
        where found.type = 'text' and (instr(found.atom, '+}') or instr(found.atom, '*}'))
            and (
                found.key = 'path' and found.path like '$.operations[%'
                or found.key = 'path' and found.path like '$.soap.rest.resources[%'
                or found.path like '$.policies.operations[%].operations'
                or found.path like '$.policies.aside[%].operations'
            )
        limit 1
    )
    from marked where text is not null
)
update revisions set configuration = (
    select text from marked where marked.id = revisions.id and text is not null
    order by step desc limit 1
) where instr(configuration, '+}') or instr(configuration, '*}');

update operations set path = replace(replace(path, '+}', '%2B}'), '*}', '%2A}')
    where instr(path, '+}') or instr(path, '*}');
