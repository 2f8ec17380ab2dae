/**
 * Tickets and messages as support teams have them: skewed channels and states, a small vocabulary, and a few rare words
 * to search for. Three messages per ticket. The text indexes are built last, which is many times faster.
 */
export const fillSql = (tickets: number, customers: number) => `
  set maintenance_work_mem = '512MB';
  set synchronous_commit = off;
  create temporary table settings as
    select ${tickets} as tickets, ${customers} as customers, string_to_array('the a your my our order parcel key door lock heating water invoice payment refund deposit flat house kitchen window broken lost late wrong missing please thank hello today tomorrow yesterday monday friday week month question answer call write send receive open close again still never always maybe account password login address number contract landlord tenant repair technician appointment delivery carrier tracking return shoes box colour size price discount voucher charge card bank transfer receipt photo report survey wall floor ceiling scratch stain mould damp noise neighbour garden garage bicycle cellar stairs lift light switch socket pipe tap sink shower bath mirror shelf table chair bed lamp curtain carpet tile paint', ' ') as words;

  insert into customer (name) select 'Customer ' || n from generate_series(1, ${customers}) n;
  insert into channel (customer_id, channel_type, name)
    select customer_id, kind, kind from customer, unnest(array['Email', 'Chat', 'Phone', 'WhatsApp']) kind
    order by customer_id;
  insert into topic (customer_id, name)
    select customer_id, 'Topic ' || n from customer, generate_series(1, 10) n order by customer_id;
  insert into customer_rep (customer_id, username, password_hash, role)
    select customer_id, 'bench-' || customer_id, '', 'Admin' from customer;
  insert into end_user (customer_id, first_name, last_name, email, search_text)
    select customer_id, 'First' || n, 'Last' || n, 'user' || n || '@mail' || customer_id || '.example',
      'First' || n || E'\\nLast' || n || E'\\nuser' || n || '@mail' || customer_id || '.example'
    from customer, settings, generate_series(1, greatest(10, settings.tickets / settings.customers / 4)) n
    order by customer_id;
  insert into end_user_uid (customer_id, end_user_id, uid, uid_type, is_primary)
    select customer_id, end_user_id, email, 'Email', true from end_user;

  drop index ticket_subject;
  drop index ticket_message_text;
  create temporary table place as
    select c.customer_id, (row_number() over (order by c.customer_id) - 1)::int as place,
      (select array_agg(channel_id order by channel_id) from channel ch where ch.customer_id = c.customer_id) as channels,
      (select min(end_user_id) from end_user e where e.customer_id = c.customer_id) as first_user,
      (select count(*)::int from end_user e where e.customer_id = c.customer_id) as users
    from customer c;
  create index on place (place);
  create function pg_temp.sentence(words text[], seed bigint, length int) returns text language sql as $$
    select string_agg(words[1 + abs(hashint8(seed * 1000 + i)) % cardinality(words)], ' ') from generate_series(1, length) i
  $$;
  create temporary table sentence as
    select n, pg_temp.sentence(words, n, 25) as long, pg_temp.sentence(words, n + 1000000, 5) as short
    from settings, generate_series(0, 19999) n;
  create index on sentence (n);
  analyze sentence;

  insert into ticket (customer_id, channel_id, end_user_id, status, is_spam, subject, last_sender_type, created_at, last_message_at)
    select p.customer_id, p.channels[1 + case when h % 10 < 6 then 0 else h % 4 end],
      p.first_user + (h / 7) % p.users,
      (array['Closed', 'Closed', 'Closed', 'Closed', 'Closed', 'Closed', 'Open', 'Open', 'Pending', 'Escalated'])[1 + (h / 11) % 10],
      (h / 11) % 10 < 6 and h % 50 = 0, s.short || case when series.n % 997 = 0 then ' zebra' else '' end, 'EndUser',
      now() - make_interval(secs => (settings.tickets - series.n) * 60), now() - make_interval(secs => (settings.tickets - series.n) * 60 - 1800)
    from settings cross join lateral generate_series(1, settings.tickets) as series (n)
    cross join lateral (select abs(hashint4(series.n)) as h) hash
    join place p on p.place = series.n % settings.customers
    join sentence s on s.n = series.n % 20000;

  insert into ticket_message (customer_id, ticket_id, channel_id, sender_type, status, message, preview, created_at)
    select t.customer_id, t.ticket_id, t.channel_id, case when i = 2 then 'CustomerRep' else 'EndUser' end,
      case i when 1 then 'Replied' when 2 then 'Sent' else 'Received' end,
      s.long || ' ' || (t.ticket_id * 3 + i) || case when (t.ticket_id * 3 + i) % 9973 = 0 then ' giraffe' else '' end,
      left(s.long, 100), t.created_at + make_interval(mins => i * 10)
    from ticket t cross join generate_series(1, 3) i
    join sentence s on s.n = abs(hashint4(t.ticket_id * 3 + i)) % 20000;
  insert into ticket_message_topic (customer_id, ticket_id, ticket_message_id, topic_id)
    select m.customer_id, m.ticket_id, m.ticket_message_id, x.first_topic + m.ticket_id % 10
    from ticket_message m
    join (select customer_id, min(topic_id) as first_topic from topic group by 1) x on x.customer_id = m.customer_id
    where m.sender_type = 'EndUser' and m.ticket_message_id % 3 = 1;

  create index ticket_subject on ticket using gin (customer_id, subject gin_trgm_ops) with (gin_pending_list_limit = 128);
  create index ticket_message_text on ticket_message using gin (customer_id, message gin_trgm_ops) with (gin_pending_list_limit = 128);
`
